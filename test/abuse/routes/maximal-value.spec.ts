import { maximalValue } from './maximal-value';

const SCHEMAS = {
  Entry: {
    type: 'object',
    properties: { text: { type: 'string', maxLength: 4 }, next: { $ref: '#/x/Entry' } },
  },
};

describe('maximalValue', () => {
  it.each([
    [{ type: 'string', maxLength: 4 }, '\u{1F600}\u{1F600}'],
    [{ type: ['string', 'null'], format: 'date-time' }, '2030-01-01T00:00:00.000Z'],
    [
      { type: 'string', pattern: '^[a-f0-9]{24}$', examples: ['665f1c2ab7e1d4a9c0f3e812'] },
      '665f1c2ab7e1d4a9c0f3e812',
    ],
    [{ enum: ['a', 'b'] }, 'a'],
    [{ type: 'integer', maximum: 9 }, 9],
    [{ type: 'boolean' }, true],
    [{ type: 'array', maxItems: 3, items: { type: 'boolean' } }, [true, true, true]],
    [{ anyOf: [{ type: 'boolean' }, { type: 'null' }] }, true],
  ])('of %j', (schema, expected) => {
    expect(maximalValue(schema, SCHEMAS)).toEqual(expected);
  });

  it('is bounded in depth and in bytes', () => {
    expect(JSON.stringify(maximalValue({ $ref: '#/x/Entry' }, SCHEMAS)).length).toBeLessThan(500);
    const list = maximalValue({ type: 'array', items: { type: 'string' } }, SCHEMAS) as string[];
    const bytes = Buffer.byteLength(JSON.stringify(list));
    expect(bytes).toBeGreaterThan(1_800_000);
    expect(bytes).toBeLessThan(2_000_000);
  });
});
