import { BenchRun } from './bench-run';
import { buildsOf } from './builds';
import { IdleBench } from './idle/idle-bench';
import { idleCommands, idleTable } from './idle/idle-figures';
import { LifecycleBench } from './lifecycle/lifecycle-bench';
import { mediansOf } from './lifecycle/lifecycle-figures';
import { lifecycleCommands, lifecycleTable } from './lifecycle/lifecycle-report';
import { readOptions } from './options';
import { runWithWorkbench } from './program';
import { formatCommands, formatProfiles, formatTable } from './report';

/** Measures the hot paths of the service and the bare driver with the same writes. */
runWithWorkbench(async (workbench, log) => {
  const options = readOptions(process.argv.slice(2));
  const builds = buildsOf(options.against);
  if (options.lifecycle) {
    const turns = await new LifecycleBench(options.lifecycle, builds, workbench, log).run();
    const rows = mediansOf(turns);
    if (options.countsCommands) process.stderr.write(`\n${lifecycleCommands(rows)}\n`);
    process.stdout.write(
      options.isJson ? `${JSON.stringify({ rows, turns })}\n` : `\n${lifecycleTable(rows)}\n`,
    );
    return;
  }
  if (options.idle) {
    const turns = await new IdleBench(options.idle, builds, workbench, log).run();
    if (options.countsCommands) process.stderr.write(`\n${idleCommands(turns)}\n`);
    process.stdout.write(options.isJson ? `${JSON.stringify({ turns })}\n` : `\n${idleTable(turns)}\n`);
    return;
  }
  const results = await new BenchRun(options, builds, workbench, log).run();
  for (const result of results) {
    if (options.countsCommands) process.stderr.write(`\n${formatCommands(result)}\n`);
    if (options.isProfiled) process.stderr.write(`\n${formatProfiles(result)}\n`);
  }
  const rows = results.map(({ figures, build }) =>
    options.against === undefined ? figures : { build, ...figures },
  );
  process.stdout.write(options.isJson ? `${JSON.stringify({ rows })}\n` : `\n${formatTable(results)}\n`);
});
