import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../program';
import { markdownOf } from './markdown';
import { readScaleOptions } from './options';
import { plotOf } from './plot';
import { ScaleRun } from './scale-run';

/** Measures how the cost of each row grows with what is stored, and writes a table and a plot of it. */
runToEnd(async (workbench, say) => {
  const options = readScaleOptions(process.argv.slice(2));
  const growths = await new ScaleRun(options, workbench, say).run();
  const markdown = markdownOf(growths);
  writeFileSync(join(options.folder, 'scaling.svg'), plotOf(growths));
  writeFileSync(join(options.folder, 'scaling-growth.md'), markdown);
  process.stdout.write(`${markdown}\n`);
});
