import 'reflect-metadata';
import { Transform, Type } from 'class-transformer';
import { ArrayMinSize, IsArray, IsBoolean, IsIn, IsNumber, MaxLength, ValidateNested } from 'class-validator';
import { ValidationFailed } from '../../errors';
import { OptionalField, OptionalText } from './fields';
import { createValidationPipe } from './validation.pipe';

class Entry {
  @OptionalText('Text', 'x', 10)
  message?: string;

  @OptionalField()
  @IsArray()
  @MaxLength(3, { each: true })
  tags?: string[];

  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? Number(value) : value))
  @OptionalField()
  @IsNumber()
  sim?: number;

  @OptionalField()
  @IsBoolean()
  encrypted?: boolean;

  get length(): number {
    return this.message?.length ?? 0;
  }
}

class Bulk {
  @IsArray()
  @ArrayMinSize(1)
  @ValidateNested({ each: true })
  @Type(() => Entry)
  messages!: Entry[];

  @OptionalField()
  @IsIn(['normal', 'urgent'])
  priority?: string;
}

const validate = (body: object): Promise<Bulk> =>
  createValidationPipe().transform(body, { type: 'body', metatype: Bulk }) as Promise<Bulk>;

async function failureOf(body: object): Promise<ValidationFailed> {
  const failure: unknown = await validate(body).catch((error: unknown) => error);
  if (!(failure instanceof ValidationFailed)) throw new Error('It was accepted');
  return failure;
}

const GOOD = [
  { message: 'Hello', tags: ['a', 'bc'], sim: '7', encrypted: true },
  { message: '', sim: 5, unknown: 1 },
  { tags: [], encrypted: null },
  {},
];
const BAD = [
  { message: 5 },
  { message: 'longer than ten', tags: ['long', 'a'] },
  { tags: 'a', sim: 'x', encrypted: 'yes' },
];
const repeated = <Item>(items: readonly Item[], count: number): Item[] =>
  Array.from({ length: count }, (_, index) => items[index % items.length] as Item);

describe('the validation of a long list of objects', () => {
  it('reads each entry as that of a short one is read', async () => {
    const { messages, priority } = await validate({ messages: repeated(GOOD, 1_000), priority: 'urgent' });
    expect(priority).toBe('urgent');
    expect(messages).toHaveLength(1_000);
    const short = await validate({ messages: GOOD });
    expect(messages).toEqual(repeated(short.messages, 1_000));
    expect(messages.every((entry) => entry instanceof Entry)).toBe(true);
    expect(messages[996]?.length).toBe(5);
  });

  it('tells the errors of the first entries, and the number of all', async () => {
    const ofShort = await failureOf({ messages: BAD });
    expect(ofShort.total).toBe(6);
    const failure = await failureOf({ messages: repeated(BAD, 3_000) });
    expect(failure.total).toBe(6_000);
    expect(failure.details).toHaveLength(10);
    expect(failure.message).toMatch(/; and 5990 more$/);

    const entries: object[] = [...repeated(GOOD, 500), ...BAD];
    const late = await failureOf({ messages: entries });
    const withIndex = (text: string) =>
      text.replaceAll(/messages\.(\d+)/g, (_, index: string) => `messages.${Number(index) + 500}`);
    expect(late.details).toEqual(
      ofShort.details.map(({ field, message }) => ({ field: withIndex(field), message: withIndex(message) })),
    );
  });

  it('tells what is wrong beside it, too', async () => {
    const failure = await failureOf({ messages: [...repeated(GOOD, 30), { message: 5 }], priority: 'high' });
    expect(failure.details.map(({ field }) => field)).toEqual(['priority', 'messages.30.message']);
  });
});
