import type { OpenAPIObject } from '@nestjs/swagger';
import examples from './request-examples.json';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/**
 * Request bodies that Swagger UI shows, by operation. They are valid except for ids and mailed codes. Without an example,
 * Swagger UI fills in all fields of the schema, which contradict each other in most requests.
 */
export const REQUEST_EXAMPLES: Readonly<Record<string, object>> = examples;

/** The file of an import. */
const CSV_EXAMPLE = 'name,number,tags\nAna Marín,+447700900123,customer\n';

const SEND_FIELDS = [
  ['message', 'smsBody', 'encryptedMessage'],
  ['recipients', 'receivers', 'listId'],
] as const;

/** By schema: groups of alternative fields, such as a field and its alias. One field of each group is required. */
const REQUIRED_ALTERNATIVES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  EstimateRequest: SEND_FIELDS.map((group) => [...group, 'messages']),
  SendEntryRequest: SEND_FIELDS,
  SendSmsRequest: SEND_FIELDS,
};

const exampleFor = ({ operationId = '' }: Operation): object | undefined =>
  REQUEST_EXAMPLES[operationId.replace(/Alias$/, '')];

/** Adds the request examples, and moves the examples of optional parameters to their descriptions. */
export function withRequestExamples(operations: readonly Operation[]): void {
  for (const operation of operations) {
    const { requestBody, parameters = [] } = operation;
    const example = exampleFor(operation);
    if (requestBody && 'content' in requestBody) {
      for (const [type, media] of Object.entries(requestBody.content)) {
        if (type === 'text/csv') media.example = CSV_EXAMPLE;
        else if (example) media.example = example;
      }
    }
    for (const parameter of parameters) {
      if ('in' in parameter && parameter.required !== true) describeExample(parameter);
    }
  }
}

type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;

/** Swagger UI fills in every example, and a filter with an example id would find nothing. */
function describeExample(parameter: Parameter): void {
  const { schema } = parameter;
  const example: unknown = parameter.example ?? (schema && 'example' in schema ? schema.example : undefined);
  delete parameter.example;
  if (schema && 'example' in schema) delete schema.example;
  if (example === undefined) return;
  const text = `Example: \`${typeof example === 'string' ? example : JSON.stringify(example)}\``;
  parameter.description = parameter.description ? `${parameter.description}. ${text}` : text;
}

/** Adds the required alternatives to the schemas. */
export function withRequiredAlternatives(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]): [string, Schemas[string]] => {
      const groups = REQUIRED_ALTERNATIVES[name];
      if (!groups || !('properties' in schema)) return [name, schema];
      const { properties = {} } = schema;
      const oneOf = (group: readonly string[]) => ({
        anyOf: group.map((field) => ({
          type: 'object',
          required: [field],
          properties: { [field]: typeOf(properties[field]) },
        })),
      });
      return [name, { ...schema, allOf: groups.map(oneOf) }];
    }),
  );
}

/** Only the type, which generated clients need; the field itself has the rest. */
function typeOf(property: object | undefined): object {
  if (!property || !('type' in property)) return {};
  return { type: property.type, ...('items' in property && { items: property.items }) };
}
