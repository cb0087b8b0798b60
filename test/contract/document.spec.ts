import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Ajv2020 } from 'ajv/dist/2020';
import request from 'supertest';
import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { type FieldTable, outlineOf } from './field-table';
import {
  ACCOUNT,
  BATCHES,
  CONSENTS,
  CONTACTS,
  DEVICES,
  ESTIMATES,
  IMPORTS,
  OPERATIONS,
  PAIRING,
  PHONES,
  POOLS,
  CONVERSATIONS,
  VIEWS,
  READS,
  SENDS,
  LOOP_TESTS,
  OVERVIEW,
  SIMS,
  WEBHOOKS,
} from './operations';
import {
  ACCOUNT_TOTALS,
  CONSENT,
  CONSENT_SETTINGS,
  CONTACT,
  CONTACT_LIST,
  DEVICE,
  EVENT_PAYLOADS,
  HEARTBEAT_ANSWER,
  HISTORY_META,
  IMPORT,
  LOOP_TEST,
  MESSAGE,
  NOTICES,
  PENDING_SMS,
  SEND_BATCH,
  SEND_RESULT,
  SUCCESS,
  SUPPRESSION,
  WEBHOOK_DELIVERY,
  WEBHOOK_SUBSCRIPTION,
} from './expected-fields';

describe('the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  const warnings: unknown[] = [];

  beforeAll(async () => {
    service = await TestService.start();
    const warn = jest.spyOn(Logger, 'warn').mockImplementation((text: unknown) => warnings.push(text));
    document = new ApiDocument(buildDocument(service.app));
    warn.mockRestore();
  });
  afterAll(() => service.stop());

  const get = (path: string) => request(service.app.getHttpServer()).get(path);

  it('describes exactly the routes of the service', () => {
    const served = service.routes
      .filter((route) => route.includes(' /api/'))
      .map((route) => route.replace(/:(\w+)/g, '{$1}'));
    expect(served.length).toBeGreaterThan(15);
    expect(document.operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(served.sort());
  });

  it('has a contract test for every operation', () => {
    const held = [
      ...READS,
      ...SENDS,
      ...ESTIMATES,
      ...DEVICES,
      ...BATCHES,
      ...OVERVIEW,
      ...SIMS,
      ...POOLS,
      ...LOOP_TESTS,
      ...CONSENTS,
      ...CONTACTS,
      ...IMPORTS,
      ...CONVERSATIONS,
      ...VIEWS,
      ...PHONES,
      ...PAIRING,
      ...WEBHOOKS,
      ...ACCOUNT,
      ...OPERATIONS,
    ];
    expect(document.operations.map(({ id }) => id).sort()).toEqual(held.sort());
  });

  it('has version 1.0 and the API key header', () => {
    const { info, components, security } = document.json;
    expect(info).toMatchObject({ title: 'Messaging Gateway API', version: '1.0' });
    expect(components?.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      session: { type: 'http', scheme: 'bearer' },
    });
    expect(security).toEqual([{ apiKey: [] }, { session: [] }]);
  });

  it('puts each operation into one of eleven groups', () => {
    const tags = (document.json.tags ?? []).map(({ name }) => name);
    expect(tags).toEqual([
      'Sending',
      'Messages',
      'Batches',
      'Conversations',
      'Contacts',
      'Consent',
      'Phones',
      'SIMs and pools',
      'Webhooks',
      'Account',
      'Operations',
    ]);
    const used = new Set(document.operations.map(({ operation }) => operation.tags?.[0]));
    expect([...used].sort()).toEqual([...tags].sort());
    for (const { id, operation } of document.operations) {
      expect([id, operation.tags?.length, tags.includes(operation.tags?.[0] ?? '')]).toEqual([id, 1, true]);
    }
  });

  it('has unique operation ids, and descriptions of every operation, parameter and field', () => {
    const ids = document.operations.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, operation } of document.operations) {
      expect(id).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.summary).toBeTruthy();
      for (const parameter of operation.parameters ?? []) {
        expect([id, parameter]).toEqual([
          id,
          expect.objectContaining({ description: expect.any(String) as string }),
        ]);
      }
    }
    const silent = Object.entries(document.json.components?.schemas ?? {}).flatMap(([name, schema]) =>
      Object.entries('properties' in schema ? (schema.properties ?? {}) : {})
        .filter(([, property]) => !('description' in property && property.description))
        .map(([field]) => `${name}.${field}`),
    );
    expect(silent).toEqual([]);
  });

  it('documents every error code of the source', () => {
    const source = join(__dirname, '..', '..', 'src');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (file) =>
        // Another protocol is not in the document of the API.
        file.endsWith('.ts') && !file.startsWith('phones/smsgate/'),
    );
    const declared = /(?:readonly kind = .*\s+readonly code = |appError\(\s*'\w+',\s*)'(\w+)'/g;
    const codes = files.flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(declared)].map(([, code]) => code),
    );
    expect(codes.length).toBeGreaterThan(40);
    const text = JSON.stringify(document.json);
    expect(codes.filter((code) => !text.includes(`"${code ?? ''}"`))).toEqual([]);
  });

  const without = (table: FieldTable, field: string): FieldTable =>
    Object.fromEntries(Object.entries(table).filter(([name]) => name !== field));

  it.each<[string, FieldTable]>([
    ['StatsResponse', ACCOUNT_TOTALS],
    ['DeviceResponse', DEVICE],
    ['LoopTestResponse', LOOP_TEST],
    ['MessageResponse', without(MESSAGE, 'channel')], // absent means sms
    ['BatchResponse', SEND_BATCH],
    ['HeartbeatResponse', HEARTBEAT_ANSWER],
    ['PendingSmsResponse', PENDING_SMS],
    ['SendResponse', SEND_RESULT],
    ['NoticesResponse', NOTICES],
    ['ConsentSettingsResponse', CONSENT_SETTINGS],
    ['ContactResponse', CONTACT],
    ['ListResponse', CONTACT_LIST],
    ['ImportResponse', IMPORT],
    ['SuppressionResponse', SUPPRESSION],
    ['ConsentRecordResponse', CONSENT],
    ['SuccessResponse', SUCCESS],
    ['WebhookSubscriptionResponse', WEBHOOK_SUBSCRIPTION],
    ['DeliveryResponse', WEBHOOK_DELIVERY],
    ['HistoryMetaResponse', HISTORY_META],
  ])('%s has the expected fields, with their types', (name, table) => {
    const outline = document.outlineOf(name);
    if ('success' in outline) outline.success = 'boolean'; // documented as `true`
    expect(outline).toEqual(outlineOf(table));
  });

  it('has every event as a webhook, and marks the reserved one', () => {
    const { webhooks = {} } = document.json;
    expect(Object.keys(webhooks)).toEqual(Object.keys(EVENT_PAYLOADS));
    const reserved = Object.entries(webhooks).filter(([, item]) =>
      item.post?.summary?.startsWith('Reserved'),
    );
    expect(reserved.map(([event]) => event)).toEqual(['SMS_STATUS_UPDATED']);
    const ids = Object.values(webhooks).map(({ post }) => post?.operationId);
    expect(new Set([...ids, ...document.operations.map(({ id }) => id)]).size).toBe(
      ids.length + document.operations.length,
    );
    for (const { post } of Object.values(webhooks)) expect(post?.security).toEqual([]);
  });

  it.each(Object.entries(EVENT_PAYLOADS))('%s has the expected fields', (event, table) => {
    expect(document.eventOutlineOf(event)).toEqual(outlineOf(table));
  });

  it('has event examples that match their schemas', () => {
    for (const event of Object.keys(EVENT_PAYLOADS))
      expect([event, document.eventErrors(event, document.eventExample(event))]).toEqual([event, []]);
  });

  it('has unique schema names', () => {
    expect(warnings).toEqual([]);
  });

  it('is written in OpenAPI 3.1', () => {
    expect(document.json.openapi).toBe('3.1.0');
    const ajv = new Ajv2020();
    const { schemas = {} } = document.json.components ?? {};
    for (const [name, schema] of Object.entries(schemas)) {
      expect([name, ajv.validateSchema(schema)]).toEqual([name, true]);
      // JSON Schema ignores these keywords of OpenAPI 3.0.
      expect([name, JSON.stringify(schema)]).toEqual([
        name,
        expect.not.stringMatching(/"(nullable|example)":/),
      ]);
    }
    expect(schemas.MessageListMetaResponse).toMatchObject({
      properties: { nextCursor: { type: ['string', 'null'] } },
    });
  });

  it('has examples that match their schemas', () => {
    const errors = document.operations.flatMap(({ id, operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) => {
        const contents = response && 'content' in response ? Object.values(response.content ?? {}) : [];
        const examples = contents.flatMap(({ examples: named = {} }) => Object.values(named));
        return examples.flatMap((example) =>
          document.responseErrors(id, {
            status: Number(status),
            headers: { 'content-type': 'application/json' },
            body: 'value' in example ? example.value : undefined,
          }),
        );
      }),
    );
    expect(errors).toEqual([]);
  });

  it('is served at /docs and /docs-json, without a key', async () => {
    const json = await get('/docs-json');
    expect(json.status).toBe(200);
    expect(json.body).toEqual(JSON.parse(readFileSync(join(__dirname, '..', '..', 'openapi.json'), 'utf8')));
    const page = await get('/docs');
    expect(page.status).toBe(200);
    expect(page.type).toBe('text/html');
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
    const own = sources.filter((source) => source.startsWith('./'));
    expect(own.some((source) => source.endsWith('swagger-ui-bundle.js'))).toBe(true);
    for (const source of own)
      expect([source, (await get(`/${source.slice(2)}`)).status]).toEqual([source, 200]);
  });

  it('has a content security policy that works without HTTPS', async () => {
    const page = await get('/docs');
    const policy = page.get('content-security-policy') ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('upgrade-insecure-requests');
    expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>\s*\S/); // The policy allows no inline scripts.
  });
});
