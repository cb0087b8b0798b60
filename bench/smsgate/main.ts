import { runWithWorkbench } from '../program';
import { readOptions } from './options';
import { SmsGateBench } from './smsgate-bench';

/** Measures the streams of the app SMSGate: their memory, and how fast a message reaches a phone. */
runWithWorkbench(async (workbench, log) => {
  const options = readOptions(process.argv.slice(2));
  const figures = await new SmsGateBench(options, workbench, log).run();
  process.stdout.write(
    options.isJson
      ? `${JSON.stringify(figures)}\n`
      : `\n${Object.entries(figures)
          .map(([name, value]) => `${name.padEnd(24)}  ${value}`)
          .join('\n')}\n`,
  );
});
