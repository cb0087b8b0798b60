import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SentLedger } from './sent-ledger';
import type { SmsCommand } from './wire';

function command(smsId: string): SmsCommand {
  return { smsId, smsBatchId: 'batch', message: 'Grüße\nfrom two lines', recipients: ['+447700900001'] };
}

describe('SentLedger', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sent-ledger-'));
    file = join(folder, 'deeper', 'ledger.jsonl');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('knows what it accepted and what became of it', () => {
    const ledger = new SentLedger();
    expect(ledger.find('a')).toBeUndefined();
    ledger.accept(command('a'), 1);
    ledger.change('a', { command: undefined, fate: 'sent', sendAttemptedAt: 2, sentAt: 3 });
    expect(ledger.find('a')).toMatchObject({
      pushReceivedAt: 1,
      sendAttemptedAt: 2,
      sentAt: 3,
      settled: false,
    });
    expect(ledger.change('unknown', { settled: true })).toBeUndefined();
  });

  it('forgets the oldest settled messages past its limit, and never one with work left', () => {
    const ledger = new SentLedger({ limit: 3 });
    ledger.accept(command('open'), 0);
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      ledger.accept(command(id), 1);
      ledger.change(id, { settled: true });
    }
    expect(['open', 'a', 'b', 'c', 'd', 'e'].filter((id) => ledger.find(id) !== undefined)).toEqual([
      'open',
      'c',
      'd',
      'e',
    ]);
    expect(ledger.size).toBe(4);
  });

  it('still knows after a restart, whole lines of a torn file included', () => {
    const before = new SentLedger({ file });
    before.accept(command('waiting'), 1);
    before.accept(command('sent'), 2);
    before.change('sent', { command: undefined, fate: 'delivered', sendAttemptedAt: 3, sentAt: 4 });
    before.accept(command('done'), 5);
    before.change('done', { command: undefined, fate: 'failed', failedAt: 6, settled: true });
    before.close();
    appendFileSync(file, '{"smsId":"torn","smsBat');

    const after = new SentLedger({ file });
    expect(after.unfinished().map(({ smsId }) => smsId)).toEqual(['waiting', 'sent']);
    expect(after.find('waiting')?.command).toEqual(command('waiting'));
    expect(after.find('sent')).toMatchObject({ fate: 'delivered', sentAt: 4 });
    expect(after.find('done')).toMatchObject({ failedAt: 6, settled: true });
    after.accept(command('new'), 7);
    after.close();

    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(4);
    expect(new SentLedger({ file }).size).toBe(4);
  });
});
