import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString, ValidateNested } from 'class-validator';
import { AppError } from '../../errors';
import { PhoneRequest, shapeOf } from './request-shape';
import { RequestReader } from './request-reader';

class Entry {
  @IsString()
  message!: string;

  @IsArray()
  @ArrayMaxSize(5)
  recipients!: unknown[];

  @IsOptional()
  scheduledAt?: string;
}

class Bulk {
  @IsArray()
  @ArrayMaxSize(3)
  @ValidateNested({ each: true })
  @Type(() => Entry)
  messages!: Entry[];

  @IsOptional()
  deviceId?: string;
}

@PhoneRequest()
class Report {
  @IsOptional()
  status?: string;

  @IsOptional()
  @IsArray()
  sims?: unknown[];
}

class ListQuery {
  @IsOptional()
  status?: string;

  @IsOptional()
  deviceIds?: string;
}

const OTHER_ROUTES = new Map([
  ['signingSecret', 'POST webhooks'],
  ['recipient', 'POST pools'],
  ['end', 'GET lists'],
]);
const readerOf = (type: new () => object) => new RequestReader(shapeOf(type), OTHER_ROUTES);

async function errorOf(read: () => unknown): Promise<{ code: string; fields?: string[]; message: string }> {
  try {
    await read();
  } catch (failure) {
    if (!(failure instanceof AppError)) throw failure;
    const { details } = failure.extras() as { details?: { field: string }[] };
    return { code: failure.code, fields: details?.map(({ field }) => field), message: failure.message };
  }
  throw new Error('It was accepted');
}

const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown;

describe('RequestReader.readBody', () => {
  const entry = { message: 'x', recipients: ['1'] };

  it('keeps the fields of the DTO and lists each ignored field once', async () => {
    const reader = readerOf(Bulk);
    const body = {
      messages: [
        { ...entry, note: 1 },
        { ...entry, note: 2 },
      ],
      colour: 'blue',
      size: null,
    };
    expect(await reader.readBody(body)).toEqual({ messages: [entry, entry] });
    expect([...reader.ignoredNames]).toEqual(['messages.note', 'colour']);
  });

  it('treats null and an empty body as absent', async () => {
    expect(await readerOf(Bulk).readBody({ messages: null, deviceId: null, scheduledAt: null })).toEqual({});
    for (const nothing of [undefined, null, '']) expect(await readerOf(Bulk).readBody(nothing)).toEqual({});
  });

  it.each([[[1, 2]], ['text'], [5], [true]])('rejects %j, which is not an object', async (body) => {
    expect((await errorOf(() => readerOf(Bulk).readBody(body))).code).toBe('MALFORMED_BODY');
  });

  it('does not traverse values that the DTO does not have', async () => {
    const reader = readerOf(Bulk);
    const body = {
      colour: deep,
      deviceId: deep,
      messages: [deep, { message: { deep }, recipients: [deep, '1'] }],
    };
    expect(await reader.readBody(body)).toEqual({
      deviceId: [[]],
      messages: [{}, { message: {}, recipients: [[], '1'] }],
    });
  });

  it('applies a limit to the total of all lists at the same path', async () => {
    const read = (...sizes: number[]) =>
      readerOf(Bulk).readBody({
        messages: sizes.map((size) => ({
          message: 'x',
          recipients: Array.from({ length: size }, () => '1'),
        })),
      });
    expect(await read(2, 2, 1)).toBeDefined();
    expect(await errorOf(() => read(6))).toMatchObject({ fields: ['messages.0.recipients'] });
    expect(await errorOf(() => read(3, 3))).toMatchObject({
      fields: ['messages.1.recipients'],
      message: 'messages.1.recipients must not have more than 5 elements in one request; there are 6',
    });
    expect(await errorOf(() => read(1, 1, 1, 1))).toMatchObject({ fields: ['messages'] });
  });

  it.each([
    [
      { scheduledAt: 'x' },
      'scheduledAt',
      'scheduledAt is misplaced; did you mean scheduledAt in each entry of messages?',
    ],
    [
      { scheduleAt: 'x' },
      'scheduleAt',
      'scheduleAt is misplaced; did you mean scheduledAt in each entry of messages?',
    ],
    [
      { messages: [entry, { ...entry, deviceId: 'x' }] },
      'messages.1.deviceId',
      'messages.1.deviceId is misplaced; did you mean deviceId beside messages?',
    ],
    [
      { messages: [{ ...entry, schedule_at: 'x' }] },
      'messages.0.schedule_at',
      'messages.0.schedule_at is not a field of this request; did you mean messages.0.scheduledAt?',
    ],
    [
      { recipients: ['1'] },
      'recipients',
      'recipients is misplaced; did you mean recipients in each entry of messages?',
    ],
    [
      { messages: [{ message: 'x', recipient: '1' }] },
      'messages.0.recipient',
      'messages.0.recipient is not a field of this request; did you mean messages.0.recipients?',
    ],
    [{ DeviceID: 'x' }, 'DeviceID', 'DeviceID is not a field of this request; did you mean deviceId?'],
    [{ mesages: [] }, 'mesages', 'mesages is not a field of this request; did you mean messages?'],
    [
      { signingSecret: 'x' },
      'signingSecret',
      'signingSecret is not a field of this request; did you mean signingSecret of POST webhooks?',
    ],
  ])('rejects %j', async (body, field, message) => {
    expect(await errorOf(() => readerOf(Bulk).readBody(body))).toEqual({
      code: 'VALIDATION_FAILED',
      fields: [field],
      message,
    });
  });

  it.each(['messageId', 'name', 'to', 'user', 'text', 'priority', '__proto__', 'constructor', ''])(
    'ignores %j, which is not similar to a known field',
    async (name) => {
      const reader = readerOf(Bulk);
      const body = JSON.parse(
        JSON.stringify({ messages: [entry] }).replace('{', `{${JSON.stringify(name)}:{"a":1},`),
      ) as object;
      expect(await reader.readBody(body)).toEqual({ messages: [entry] });
      expect([...reader.ignoredNames]).toEqual([name]);
    },
  );

  it('rejects a request with too many unknown fields, and ignores them for a DTO of phones', async () => {
    const flood = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, index]));
    expect((await errorOf(() => readerOf(Bulk).readBody(flood))).code).toBe('MALFORMED_BODY');
    const reader = readerOf(Report);
    expect(await reader.readBody({ ...flood, status: 'SENT', statuss: 'x' })).toEqual({ status: 'SENT' });
    expect(reader.ignoredNames.size).toBe(100);
  });

  it('truncates a list without a limit of a DTO of phones', async () => {
    const sims = Array.from({ length: 1_000 }, (_, index) => index);
    expect(await readerOf(Report).readBody({ sims })).toEqual({ sims: sims.slice(0, 100) });
  });
});

describe('RequestReader.readQuery', () => {
  it('treats empty values as absent and unwraps a list of one value', () => {
    const reader = readerOf(ListQuery);
    expect(reader.readQuery({ status: '', deviceIds: ['a', '', 'b'], start: '', _: '1' })).toEqual({
      deviceIds: ['a', 'b'],
    });
    expect([...reader.ignoredNames]).toEqual(['_']);
    expect(readerOf(ListQuery).readQuery({ status: ['', 'sent'] })).toEqual({ status: 'sent' });
  });

  it.each([
    ['status[]', 'status[] is not supported; did you mean status?'],
    ['filter[status]', 'filter[status] is not supported; did you mean status?'],
    ['statuss', 'statuss is not a field of this request; did you mean status?'],
    ['deviceId', 'deviceId is not a field of this request; did you mean deviceIds?'],
    ['end', 'end is not a field of this request; did you mean end of GET lists?'],
  ])('rejects %s, which would be ignored as a filter', async (name, message) => {
    expect(await errorOf(() => readerOf(ListQuery).readQuery({ [name]: 'sent' }))).toMatchObject({ message });
  });

  it('rejects a query parameter that belongs in the body', async () => {
    const reader = readerOf(Report);
    expect(
      await errorOf(() => {
        reader.ignoreQuery({ deviceId: 'x', trace: '1' }, shapeOf(Bulk));
      }),
    ).toMatchObject({
      message: 'deviceId must be in the request body, not in the query',
    });
  });
});
