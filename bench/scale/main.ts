import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runWithWorkbench } from '../program';
import { formatMarkdown } from './markdown';
import { readScaleOptions } from './options';
import { drawPlot } from './plot';
import { ScaleRun } from './scale-run';

/** Measures how the cost of each row grows with the stored data, and writes a table and a plot. */
runWithWorkbench(async (workbench, log) => {
  const options = readScaleOptions(process.argv.slice(2));
  const growths = await new ScaleRun(options, workbench, log).run();
  const markdown = formatMarkdown(growths);
  writeFileSync(join(options.folder, 'scaling.svg'), drawPlot(growths));
  writeFileSync(join(options.folder, 'scaling-growth.md'), markdown);
  process.stdout.write(`${markdown}\n`);
});
