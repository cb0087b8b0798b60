import { setTimeout as sleep } from 'node:timers/promises';
import { Command, SubCommand } from 'nest-commander';
import { Indexes } from '../../infrastructure/mongo/indexes.service';
import { Leases } from '../../infrastructure/mongo/leases.service';
import { MAINTENANCE_JOBS } from '../../maintenance/maintenance-jobs';
import { MigrationsService } from '../../migrations/migrations.service';
import { SigningSecretRotationService } from '../../webhooks/subscriptions/signing-secret-rotation.service';
import { CommandGroup, OperatorCommand } from '../operator-command';

const POLL_INTERVAL_MS = 1_000;

@Command({
  name: 'migrate',
  description: 'Run pending migrations of stored data, wait until they finish, and drop unused indexes',
})
export class MigrateCommand extends OperatorCommand {
  async run(): Promise<void> {
    const migrations = await this.installation.get(MigrationsService);
    let result = await migrations.run();
    if (result === 'busy') this.print('Another process is running migrations; waiting for it');
    while (result === 'busy') {
      await sleep(POLL_INTERVAL_MS);
      result = await migrations.run();
    }
    for (const name of result.ran) this.print(`Migration ${name} finished`);
    this.print('No pending migrations');
    const indexes = await this.installation.get(Indexes);
    for (const name of await indexes.dropUnused()) this.print(`Dropped the unused index ${name}`);
  }
}

@SubCommand({ name: 'rotate', description: 'Re-encrypt all secrets with the first of ENCRYPTION_KEYS' })
export class SecretsRotateCommand extends OperatorCommand {
  async run(): Promise<void> {
    const rotated = await (await this.installation.get(SigningSecretRotationService)).rotate();
    this.print(`Re-encrypted the secrets of ${rotated} webhook subscription${rotated === 1 ? '' : 's'}`);
    this.print('All secrets use the first of ENCRYPTION_KEYS; the other keys can be removed');
  }
}

@Command({ name: 'secrets', description: 'Webhook secrets', subCommands: [SecretsRotateCommand] })
export class SecretsCommand extends CommandGroup {}

@SubCommand({ name: 'run', description: 'Run all maintenance jobs now' })
export class MaintenanceRunCommand extends OperatorCommand {
  async run(): Promise<void> {
    await (await this.installation.get(Leases)).free(MAINTENANCE_JOBS);
    this.print(
      'All maintenance jobs are due: a process with the scheduler role starts them within ten seconds',
    );
  }
}

@Command({ name: 'maintenance', description: 'Totals and retention', subCommands: [MaintenanceRunCommand] })
export class MaintenanceCommand extends CommandGroup {}
