import { buildsOf } from '../builds';
import { runWithWorkbench } from '../program';
import { readOptions } from './options';
import { type PhonesFigures, phonesTable } from './phones-figures';
import { PhonesBench } from './phones-bench';

/** Measures one API process that holds the streams of many phones. Takes three to five minutes for each build. */
runWithWorkbench(async (workbench, log) => {
  const { streams, isJson, against } = readOptions(process.argv.slice(2));
  const figures: PhonesFigures[] = [];
  for (const build of buildsOf(against)) {
    figures.push(await new PhonesBench(streams, build, workbench, log).run());
    await workbench.cleanUp();
  }
  process.stdout.write(`${isJson ? JSON.stringify(figures) : phonesTable(figures)}\n`);
});
