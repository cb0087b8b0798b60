import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { parseCommand, UsageError } from './admin/admin-command';
import { AdminModule } from './admin/admin.module';
import { AdminService } from './admin/admin.service';
import { assertReachable } from './common/reachability';
import { loadConfiguration } from './config/configuration';
import { readProcessEnvironment } from './config/process-environment';
import { failureText } from './failure-text';

/** The operator's commands, on the database of the environment: see USAGE in admin/admin-command.ts. */
async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2), process.stdout.isTTY);
  const configuration = loadConfiguration(readProcessEnvironment());
  await assertReachable(configuration);
  const app = await NestFactory.createApplicationContext(AdminModule.register(configuration), {
    abortOnError: false,
    logger: ['error', 'fatal'],
  });
  try {
    for await (const line of app.get(AdminService).run(command)) process.stdout.write(`${line}\n`);
  } finally {
    await app.close();
  }
}

main().then(
  () => process.exit(0),
  (failure: unknown) => {
    process.stderr.write(`${failureText(failure)}\n`);
    process.exit(failure instanceof UsageError ? 2 : 1);
  },
);
