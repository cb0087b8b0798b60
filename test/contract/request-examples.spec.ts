import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { buildDocument } from '../../src/openapi/openapi';
import { REQUEST_EXAMPLES } from '../../src/openapi/openapi-requests';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';

describe('request examples in the API document', () => {
  let service: TestService;
  let document: OpenAPIObject;
  let api: ApiDocument;

  beforeAll(async () => {
    service = await TestService.start();
    document = buildDocument(service.app);
    api = new ApiDocument(document);
  });
  afterAll(() => service.stop());

  const bodyOf = ({ operation: { requestBody } }: ApiDocument['operations'][number]) =>
    requestBody && 'content' in requestBody
      ? (requestBody.content['application/json'] ?? requestBody.content['text/csv'])
      : undefined;

  const validator = (schema: string) => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    return ajv.compile({ $ref: `document#/components/schemas/${schema}` });
  };

  it('exist for every body', () => {
    const without = api.operations
      .filter((operation) => operation.operation.requestBody && bodyOf(operation)?.example === undefined)
      .map(({ id }) => id);
    expect(without).toEqual([]);
  });

  it('exist for current operations only', () => {
    const ids = new Set(api.operations.map(({ id }) => id));
    expect(Object.keys(REQUEST_EXAMPLES).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('omit optional parameters', () => {
    const filled = api.operations.flatMap(({ id, operation: { parameters = [] } }) =>
      parameters.flatMap((parameter) => {
        if (!('in' in parameter) || parameter.required) return [];
        const { schema = {} } = parameter;
        return 'example' in parameter || 'examples' in schema ? [`${id} ${parameter.name}`] : [];
      }),
    );
    expect(filled).toEqual([]);
    expect(JSON.stringify(api.find('sendSms').operation.parameters)).toContain('Example: `order-4711`');
  });

  it.each(['SendSmsRequest', 'SendEntryRequest'])('%s requires a text and recipients', (schema) => {
    const isValid = validator(schema);
    const [message, recipients] = ['Hello', ['+447700900123']];
    for (const body of [
      { message, recipients },
      { smsBody: message, recipients },
      { message, receivers: recipients },
      { encrypted: true, encryptedMessage: 'c2VjcmV0', recipients },
    ])
      expect([body, isValid(body)]).toEqual([body, true]);
    for (const body of [{}, { message }, { recipients }, { message, smsBody: message }])
      expect([body, isValid(body)]).toEqual([body, false]);
  });

  it('use a documented server', () => {
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) as string }]);
  });
});
