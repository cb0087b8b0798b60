import { BenchRun } from './bench-run';
import { LifecycleBench } from './lifecycle/lifecycle-bench';
import { mediansOf } from './lifecycle/lifecycle-figures';
import { lifecycleCommands, lifecycleTable } from './lifecycle/lifecycle-report';
import { readOptions } from './options';
import { runToEnd } from './program';
import { commandsOf, profilesOf, tableOf } from './report';

/** Measures the hot paths of the service beside what the bare driver can do for the same writes. */
runToEnd(async (workbench, say) => {
  const options = readOptions(process.argv.slice(2));
  if (options.lifecycle) {
    const turns = await new LifecycleBench(options.lifecycle, workbench, say).run();
    const rows = mediansOf(turns);
    if (options.countsCommands) process.stderr.write(`\n${lifecycleCommands(rows)}\n`);
    process.stdout.write(
      options.isJson ? `${JSON.stringify({ rows, turns })}\n` : `\n${lifecycleTable(rows)}\n`,
    );
    return;
  }
  const results = await new BenchRun(options, workbench, say).run();
  for (const result of results) {
    if (options.countsCommands) process.stderr.write(`\n${commandsOf(result)}\n`);
    if (options.isProfiled) process.stderr.write(`\n${profilesOf(result)}\n`);
  }
  const rows = results.map(({ figures }) => figures);
  process.stdout.write(options.isJson ? `${JSON.stringify({ rows })}\n` : `\n${tableOf(results)}\n`);
});
