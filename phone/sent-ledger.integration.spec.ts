import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SentLedger } from './sent-ledger';

/** Writes until it fails, and prints how many entries were written, and the error. */
const FILL = `
import { SentLedger } from ${JSON.stringify(join(__dirname, 'sent-ledger.ts'))};
const ledger = new SentLedger({ file: process.argv[2] });
let written = 0;
try {
  for (; written < 1_000; written += 1)
    ledger.accept({ smsId: 'sms-' + written, smsBatchId: 'batch', message: 'Hello', recipients: ['+447700900001'] }, 1);
} catch (error) {
  console.log(JSON.stringify({ written, error: error.message }));
}
`;

describe('the ledger on a full disk', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('says so, keeps what it has recorded, and continues when there is room', () => {
    const [file, script] = [join(folder, 'ledger'), join(folder, 'fill.ts')];
    writeFileSync(script, FILL);
    const tsx = join(__dirname, '..', 'node_modules', '.bin', 'tsx');
    // A limit of the file's size fails a write as a full disk does, after a part of it.
    const limited = `ulimit -f 2; exec "$0" "$@"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', limited, tsx, script, file], {
      encoding: 'utf8',
      env: { ...process.env, TSX_DISABLE_CACHE: '1' },
    });
    expect(stderr).toBe('');
    const { written, error } = JSON.parse(stdout) as { written: number; error: string };
    expect(written).toBeGreaterThan(5);
    expect(error).toMatch(/^The ledger .+ cannot be written, and nothing is sent without it: EFBIG/);
    expect(statSync(file).size).toBeLessThan(2_048);

    const ledger = new SentLedger({ file });
    expect(ledger.size).toBe(written);
    ledger.change('sms-0', { sendAttemptedAt: 5 });
    ledger.close();
    const again = new SentLedger({ file });
    expect(again.size).toBe(written);
    expect(again.find('sms-0')).toMatchObject({ sendAttemptedAt: 5 });
  });
});
