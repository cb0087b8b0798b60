import { formatCommand, readOptions } from './options';

/** Splits a command line like a shell. */
const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);

describe('the options of the chaos test', () => {
  it('are the same for each CI run and kill each role, Redis and the database', () => {
    const options = readOptions(['--ci']);
    expect(options).toEqual(readOptions(['--ci']));
    expect(options.kills).toEqual(['api', 'worker', 'scheduler', 'Redis with its data', 'database']);
    expect(readOptions(['--ci', '--seed', '9'])).toEqual({ ...options, seed: 9 });
    const seeds = Array.from({ length: 5 }, () => readOptions(['--ci', '--seed', 'random']).seed);
    expect(new Set(seeds).size).toBeGreaterThan(1);
  });

  it.each([
    ['--seed 21'],
    ['--ci --seed random'],
    ["--rounds 3 --kill 'api, asked to stop' --kill worker"],
    ['--seconds-per-round 9 --messages 77'],
    ['--app-only --app-messages 50'],
    ['--redis cluster --kills-per-round 2'],
    ['--ci --redis cluster'],
    ['--ci --redis sentinels'],
    ['--database replica-set'],
    ['--processes 8 --skew 1000'],
    ['--upgrade-from /before'],
  ])('%s: the printed command repeats the run', (line) => {
    const options = readOptions(wordsOf(line));
    const [npm, run, script, dashes, ...args] = wordsOf(formatCommand(options));
    expect([npm, run, script, dashes]).toEqual(['npm', 'run', 'test:chaos', '--']);
    expect(readOptions(args)).toEqual(options);
  });

  it.each([
    ['--seed 0', '--seed must be a whole number from 1, not 0'],
    ['--rounds many', '--rounds must be a whole number'],
    ['--redis none', '--redis must be server, cluster or sentinels'],
    ['--database none', '--database must be server or replica-set'],
    ["--kill 'the cat'", '--kill must be one of: api; worker;'],
    ['--quick', '--quick'],
  ])('rejects %s with the reason', (line, reason) => {
    expect(() => readOptions(wordsOf(line))).toThrow(reason);
  });
});
