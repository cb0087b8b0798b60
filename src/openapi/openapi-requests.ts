import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/**
 * Request bodies that Swagger UI shows, by operation. They are valid except for ids and mailed codes. Without an example,
 * Swagger UI fills in all fields of the schema, which contradict each other in most requests.
 */
export const REQUEST_EXAMPLES: Readonly<Record<string, object>> = {
  registerDevice: {
    pushTransport: 'stream',
    name: 'Office phone',
    brand: 'google',
    manufacturer: 'Google',
    model: 'Pixel 8',
    serial: 'HT7A1B2C3D4',
  },
  updateDevice: { name: 'Reception' },
  sendSms: { message: 'Your code is 123456', recipients: ['+447700900123'] },
  sendSmsFromDevice: { message: 'Your code is 123456', recipients: ['+447700900123'] },
  sendBulkSms: {
    messages: [
      { message: 'Hi Ada', recipients: ['+447700900123'] },
      { message: 'Hi Grace', recipients: ['+447700900124'] },
    ],
    messageTemplate: 'Hi {name}',
  },
  sendBulkSmsFromDevice: {
    messages: [
      { message: 'Hi Ada', recipients: ['+447700900123'] },
      { message: 'Hi Grace', recipients: ['+447700900124'] },
    ],
    messageTemplate: 'Hi {name}',
  },
  sendHeartbeat: { batteryPercentage: 80, isCharging: true, networkType: 'wifi', receiveSMSEnabled: true },
  receiveSms: { sender: '+447700900123', message: 'Yes, please' },
  reportSmsStatus: { smsId: '665f1c2ab7e1d4a9c0f3e812', status: 'SENT' },
  acknowledgeMessages: { smsIds: ['665f1c2ab7e1d4a9c0f3e812'] },
  confirmCancelledMessages: { smsIds: ['665f1c2ab7e1d4a9c0f3e812'] },
  createWebhook: {
    name: 'Orders',
    deliveryUrl: 'https://example.com/hooks/sms',
    signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    events: ['MESSAGE_RECEIVED', 'MESSAGE_FAILED'],
  },
  updateWebhook: { name: 'Orders', events: ['MESSAGE_RECEIVED', 'MESSAGE_SENT', 'MESSAGE_FAILED'] },
  replayWebhook: { from: '2026-01-31T09:00:00Z', status: 'failed' },
  testWebhook: { event: 'MESSAGE_RECEIVED' },
  createApiKey: { name: 'Office phone' },
  renameApiKey: { name: 'Reception' },
  registerAccount: { name: 'Ada', email: 'me@example.com', password: 'correct horse battery staple' },
  logIn: { email: 'me@example.com', password: 'correct horse battery staple' },
  signIn: { email: 'me@example.com', password: 'correct horse battery staple' },
  verifyEmail: { userId: '665f1c2ab7e1d4a9c0f3e812', verificationCode: '7F3KQ-X9D2M' },
  updateProfile: { name: 'Ada' },
  changePassword: {
    oldPassword: 'correct horse battery staple',
    newPassword: 'four more words to remember',
  },
  requestPasswordReset: { email: 'me@example.com' },
  deleteAccount: { password: 'four more words to remember' },
  resetPassword: {
    email: 'me@example.com',
    otp: '7F3KQ-X9D2M',
    newPassword: 'four more words to remember',
  },
};

const SEND_FIELDS = [
  ['message', 'smsBody', 'encryptedMessage'],
  ['recipients', 'receivers'],
] as const;

/** By schema: groups of alternative fields, such as a field and its alias. One field of each group is required. */
const REQUIRED_ALTERNATIVES: Readonly<Record<string, readonly (readonly string[])[]>> = {
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
    if (example && requestBody && 'content' in requestBody) {
      for (const media of Object.values(requestBody.content)) media.example = example;
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
