import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryWatch } from '../../test/abuse/memory-watch';
import { Installation } from '../../test/chaos/installation';
import { startOwnDatabase } from '../own-database';
import { runWithWorkbench } from '../program';
import type { Workbench } from '../workbench';

const DEFAULT_ROWS = 100_000;
const POLL_MS = 200;
/** Of the import that is killed. */
const KILL_AFTER_MS = 3_000;

interface ImportJson {
  readonly _id: string;
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Imports contacts twice, undoes the first import, and imports them again while the API process is killed twice: `npx tsx bench/imports/main.ts
 * [rows]`. Prints the seconds, the longest block of the event loop (CPU time), and the most memory of the process.
 */
runWithWorkbench(async (workbench, log) => {
  const rows = Number(process.argv[2] ?? DEFAULT_ROWS);
  const { installation, meterFile, contacts } = await startApi(workbench);
  const [url = ''] = installation.apiUrls;
  const { apiKey } = installation;
  const [api] = installation.processes;
  if (!api) throw new Error('There is no API process');
  const call = async (method: string, path: string, body?: BodyInit) => {
    const headers = { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'text/csv' }) };
    const response = await fetch(`${url}/api/v1/gateway/${path}`, { method, headers, body, duplex: 'half' });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: ImportJson }).data;
  };
  const readMeter = async () => {
    const response = await fetch(`http://127.0.0.1:${readFileSync(meterFile, 'utf8')}/`);
    return ((await response.json()) as { longestBlockMs: number }).longestBlockMs;
  };
  const untilEnded = async (job: ImportJson) => {
    let current = job;
    while (current.state === 'applying' || current.state === 'undoing') {
      await sleep(POLL_MS);
      current = await call('GET', `imports/${job._id}`);
    }
    return current;
  };
  const measure = async (name: string, work: () => Promise<ImportJson>) => {
    const memory = new MemoryWatch(api);
    await readMeter();
    const startedAt = performance.now();
    const job = await untilEnded(await work());
    const seconds = (performance.now() - startedAt) / 1_000;
    memory.stop();
    const block = await readMeter();
    process.stdout.write(
      `${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s, longest block ${block.toFixed(0)} ms, ` +
        `${memory.maxMegabytes.toFixed(0)} MB, ${JSON.stringify(job.counts)}\n`,
    );
    return job;
  };
  const upload = () => call('POST', 'contacts/import', fileOf(rows));
  await measure('warm-up', () => call('POST', 'contacts/import', fileOf(2_000)));
  const first = await measure('import', upload);
  await measure('the same again', upload);
  await measure('undo', () => call('DELETE', `imports/${first._id}`));
  await measure('killed twice', async () => {
    const job = await upload();
    for (let kill = 1; kill <= 2; kill++) {
      await sleep(KILL_AFTER_MS);
      api.kill();
      await api.waitUntilReady();
    }
    return call('GET', `imports/${job._id}`);
  });
  const stored = await contacts.countDocuments();
  process.stdout.write(`${stored} contacts are stored\n`);
  if (stored !== rows) throw new Error(`${rows} were imported`);
  log('Done');
});

async function startApi(workbench: Workbench) {
  const { stack, database, folder, db } = await startOwnDatabase(workbench);
  const meterFile = join(folder, 'meter');
  const installation = await Installation.start({
    stack,
    database,
    folder,
    roles: ['api'],
    environment: { RATE_LIMIT_PER_KEY: '0', TURN_METER_FILE: meterFile },
    nodeArguments: ['--require', join(__dirname, '..', '..', 'test', 'abuse', 'routes', 'turn-meter.cjs')],
    restartDelayMs: () => 0,
    onError: (error) => workbench.errors.push(error),
  });
  workbench.defer(() => installation.stop('SIGTERM'));
  while (!existsSync(meterFile)) await sleep(POLL_MS);
  return { installation, meterFile, contacts: db.collection('contacts') };
}

/** A file as a stream, so that this program does not hold it. */
function fileOf(rows: number): ReadableStream<Uint8Array> {
  let row = 0;
  return new ReadableStream({
    pull(controller) {
      if (row === 0) controller.enqueue(Buffer.from('Name;Handy;Ort;Gruppen;Bemerkung\r\n'));
      const lines: string[] = [];
      for (const end = Math.min(rows, row + 500); row < end; row += 1)
        lines.push(
          `Person ${row} Müller;0151 ${10_000_000 + row};Köln ${row % 100};Kunde, 2026;"mag ""Kaffee"" ${row}"\r\n`,
        );
      if (lines.length > 0) controller.enqueue(Buffer.from(lines.join('')));
      if (row >= rows) controller.close();
    },
  });
}
