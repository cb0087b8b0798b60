import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runWithWorkbench } from '../program';
import { runBlock } from './block-run';
import { runCodes } from './codes-run';
import { runForecast } from './forecast-run';
import { startService } from './service';

const MESSAGES = 5_000;
const MAX_MESSAGES = 10_000;
const EXPERIMENTS = ['forecast', 'block', 'codes'];

/** Measures a pool of virtual phones: its forecast, a block by a carrier, and codes during a campaign. Writes pictures. */
runWithWorkbench(async (workbench, log) => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: EXPERIMENTS.join(',') },
      messages: { type: 'string', default: String(MESSAGES) },
      out: { type: 'string', default: join('docs', 'use', 'pictures') },
    },
  });
  const chosen = values.only.split(',');
  const unknown = chosen.find((name) => !EXPERIMENTS.includes(name));
  if (unknown !== undefined)
    throw new Error(`--only must be among ${EXPERIMENTS.join(', ')}, not ${unknown}`);
  const messages = Number(values.messages);
  if (!Number.isInteger(messages) || messages < 1_000 || messages > MAX_MESSAGES)
    throw new Error(`--messages must be a whole number from 1000 to ${MAX_MESSAGES}`);
  const service = await startService(workbench);
  const results: Record<string, object> = {};
  const write = (name: string, { picture, ...figures }: object & { readonly picture?: string }) => {
    workbench.check();
    mkdirSync(values.out, { recursive: true });
    if (picture !== undefined) writeFileSync(join(values.out, `senders-${name}.svg`), picture);
    results[name] = figures;
    log(`${name}: ${JSON.stringify(figures)}`);
  };
  if (chosen.includes('forecast')) write('forecast', await runForecast(service, messages, log));
  if (chosen.includes('block')) write('block', await runBlock(service, log));
  if (chosen.includes('codes')) write('codes', await runCodes(service, messages, log));
  process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
});
