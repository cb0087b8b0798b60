import { readOptions, ROW_NAMES } from './options';
import { readScaleOptions } from './scale/options';

describe('bench options', () => {
  it('select all rows by default', () => {
    expect(readOptions([])).toEqual({
      seconds: 6,
      rows: ROW_NAMES,
      isJson: false,
      isProfiled: false,
      countsCommands: false,
      runsAllProcesses: false,
    });
    expect(readOptions(['--rows', 'send_pool,dispatch_pool']).rows).toEqual(['send_pool', 'dispatch_pool']);
    expect(readOptions(['--rows', 'stats,send_one', '--seconds', '2', '--json'])).toMatchObject({
      rows: ['stats', 'send_one'],
      seconds: 2,
      isJson: true,
    });
  });

  it('measure lives of messages only by name', () => {
    expect(readOptions(['--rows', 'lifecycle'])).toMatchObject({
      rows: [],
      lifecycle: { seconds: 20, rates: [60, 100], turns: 3 },
    });
    expect(
      readOptions(['--rows', 'lifecycle', '--rates', '5,9', '--against', '/old', '--turns', '1']),
    ).toMatchObject({
      against: '/old',
      lifecycle: { rates: [5, 9], turns: 1 },
    });
    expect(readOptions(['--rows', 'stats']).lifecycle).toBeUndefined();
  });

  it('reject invalid values with the name of the option', () => {
    expect(() => readOptions(['--rows', 'send_two'])).toThrow(/--rows .*not send_two/);
    expect(() => readOptions(['--seconds', '0'])).toThrow('--seconds must be a whole number from 1 to 600');
    expect(() => readOptions(['--rows', 'lifecycle', '--rates', '60,fast'])).toThrow(/--rates .*not fast/);
    expect(() => readScaleOptions(['--messages', '10,many'])).toThrow(/--messages .*not many/);
  });

  it('sort sizes and remove duplicates', () => {
    expect(readScaleOptions(['--messages', '1000,10,1000', '--devices', '3'])).toMatchObject({
      messages: [10, 1_000],
      devices: [3],
    });
  });
});
