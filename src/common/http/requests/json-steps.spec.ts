import fc from 'fast-check';
import { jsonSteps } from './json-steps';

function parse(text: string): unknown {
  const steps = jsonSteps(text);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

const outcomeOf = (run: () => unknown): unknown => {
  try {
    return { value: run() };
  } catch (failure) {
    return (failure as Error).name;
  }
};

/** Longer than a chunk. */
const long = '"'.repeat(3) + ',[{'.repeat(10_000);
const padding = ' \n\t\r'.repeat(5_000);

describe('JSON that is parsed in steps', () => {
  it('is what JSON.parse reads', () => {
    const leaf = fc.oneof(
      fc.constantFrom('', '\\', '"', '\\"', ',', '}', ']', '{"', long, '\u00a0', '\ud800'),
      fc.integer(),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.boolean(),
      fc.constant(null),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('tree'), { maxLength: 6 }),
        // No key ends with a backslash, because JSON.parse of Node 24 may read the key `"` as one that does.
        fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '"', '\\a', ',', long), tie('tree'), {
          maxKeys: 4,
        }),
        fc
          .nat(9_000)
          .map((length) => Array.from({ length }, (_, index) => ({ [`k${index % 7}`]: [index, 'x'] }))),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 40 },
    );
  });

  it('is refused where JSON.parse refuses it', () => {
    const items = (item: string, count = 10_000) => Array.from({ length: count }, () => item).join(',');
    const bodies = ['', ',', '1', items('1'), `${items('1')},`, `,${items('1')}`, `${items('1')},,1`, padding]
      .flatMap((list) => [`[${list}]`, `{"a":[${list}]}`, `[[${list}],1]`, `[${list}}`, `[${list}`])
      .concat(
        [
          '',
          '"a":1',
          items('"a":1'),
          `${items('"a":1')},`,
          items('"a":1,'),
          '"a" 1',
          `"a":${JSON.stringify(long)}`,
          padding,
        ].flatMap((members) => [
          `{${members}}`,
          `{"b":{${members}}}`,
          `{${members}]`,
          `{"x" {${members}}}`,
          `{a:{${members}}}`,
        ]),
        [
          `[${items('1')}],[${items('1')}]`,
          `\u00a0[${items('1')}]`,
          `[${padding}1${padding}]`,
          `{"a":${padding}1}`,
        ],
        [`[${items('1')}]]`, `[[${items('1')}]`, `["${'a'.repeat(20_000)}]`, `{"a${'a'.repeat(20_000)}":}`],
      );
    for (const text of bodies)
      expect([text.slice(0, 40), outcomeOf(() => parse(text))]).toEqual([
        text.slice(0, 40),
        outcomeOf(() => JSON.parse(text)),
      ]);
  });

  it('has steps of a few thousand keys at most', () => {
    const wide = Array.from({ length: 9_000 }, (_, index) => `{"k${index}":1,"l${index}":[${index}]}`).join(
      ',',
    );
    const steps = jsonSteps(`{"messages":[${wide}]}`);
    let count = 0;
    while (!steps.next().done) count += 1;
    expect(count).toBeGreaterThan(wide.length / 20_000);
  });

  it('is refused if it is nested too deep, or an object has too many fields', () => {
    expect(() => parse('['.repeat(50_000) + ']'.repeat(50_000))).toThrow('more than 8 levels deep');
    expect(() => parse('{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000))).toThrow('more than 8 levels deep');
    const fields = Array.from({ length: 10_001 }, (_, index) => `"k${index}":1`);
    expect(() => parse(`{${fields.join(',')}}`)).toThrow('an object with more than 10000 fields');
    expect(Object.keys(parse(`{${fields.slice(1).join(',')}}`) as object)).toHaveLength(10_000);
  });
});
