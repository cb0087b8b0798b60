import { LiveLines } from './live-lines';
import { checkAir } from './pool-demo';
import { simTable, totalLine, type SimRow } from './sim-table';

const row = (fields: Partial<SimRow>): SimRow => ({
  label: 'phone 1 SIM 1',
  cap: '80 messages a day',
  sent: 0,
  failed: 0,
  waiting: 0,
  partsPerMinute: 0,
  block: undefined,
  breaker: 'closed',
  ...fields,
});

describe('the SIM table', () => {
  it('has a line for each SIM with its messages, rate, block and breaker', () => {
    const lines = simTable([
      row({ sent: 12, failed: 3, waiting: 7, partsPerMinute: 58.7, block: 'fail', breaker: 'open' }),
      row({ label: 'phone 1 SIM 2' }),
    ]);
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['SIM', 'carrier cap', 'sent', 'failed', 'waiting', 'parts/min', 'block', 'breaker'],
      ['phone 1 SIM 1', '80 messages a day', '12', '3', '7', '59', 'blocked (fail)', 'open'],
      ['phone 1 SIM 2', '80 messages a day', '0', '0', '0', '0', '-', 'closed'],
    ]);
  });

  it('sums up the campaign, with its forecast', () => {
    const rows = [row({ sent: 20, partsPerMinute: 40 }), row({ failed: 10 })];
    expect(totalLine(rows, 120, { sentAt: 1_000, forecastAt: 91_000 }, 31_000)).toMatch(
      /^█{7}░{23} 30 of 120 messages, 40 parts\/min, 10 failed, 30 of 90 s by the forecast$/,
    );
  });
});

describe('LiveLines', () => {
  function linesOn(terminal: { isTTY: boolean; rows: number; columns: number }) {
    const written: string[] = [];
    const write = (text: string): boolean => {
      written.push(text);
      return true;
    };
    return { lines: new LiveLines({ ...terminal, write }), written };
  }

  it('redraws what fits on a terminal', () => {
    const { lines, written } = linesOn({ isTTY: true, rows: 3, columns: 7 });
    lines.show(['header', 'first line', 'total'], 0);
    lines.show(['header', 'first line', 'total 2'], 1);
    expect(written).toEqual(['\r\u001b[Jfirst \ntotal\n', '\u001b[2A\r\u001b[Jfirst \ntotal \n']);
  });

  it('prints lines that stay above what it redraws', () => {
    const { lines, written } = linesOn({ isTTY: true, rows: 0, columns: 0 });
    lines.show(['header', 'total'], 0);
    lines.note('blocked');
    lines.show(['header', 'total 2'], 1);
    expect(written).toEqual([
      '\r\u001b[Jheader\ntotal\n',
      '\u001b[2A\r\u001b[Jblocked\n',
      '\r\u001b[Jheader\ntotal 2\n',
    ]);
  });

  it('prints the summary from time to time without a terminal, and less often everything', () => {
    const { lines, written } = linesOn({ isTTY: false, rows: 3, columns: 7 });
    lines.show(['header', 'total 1'], 10_000);
    lines.show(['header', 'total 2'], 11_000);
    lines.show(['header', 'total 3'], 12_000);
    lines.note('blocked');
    lines.show(['header', 'total 4'], 20_000);
    lines.finish(['header', 'total 5']);
    expect(written).toEqual([
      'header\ntotal 1\n',
      'total 3\n',
      'blocked\n',
      'header\ntotal 4\n',
      'header\ntotal 5\n',
    ]);
  });
});

describe('checkAir', () => {
  it('counts messages that went on the air twice, and those that are said to be sent and did not', () => {
    const record = (smsId: string, ...partTimes: number[]) => ({ smsId, partTimes });
    const message = (_id: string, status: 'delivered' | 'failed' | 'sent') => ({ _id, status });
    const records = [record('a', 1), record('b', 1, 2), record('a', 3), record('c')];
    expect(
      checkAir(records, [
        message('a', 'delivered'),
        message('b', 'sent'),
        message('c', 'failed'),
        message('d', 'delivered'),
      ]),
    ).toEqual({ doubled: 1, lost: 1 });
  });
});
