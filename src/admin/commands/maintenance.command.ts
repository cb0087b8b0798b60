import { setTimeout as sleep } from 'node:timers/promises';
import { Command, SubCommand } from 'nest-commander';
import { Rounds } from '../../common/upkeep/rounds.service';
import { Migrations } from '../../migrations/migrations.service';
import { SecretRotationService } from '../../webhooks/secret-rotation.service';
import { Installation } from '../installation';
import { CommandGroup, OperatorCommand } from '../operator-command';

const LOOK_AGAIN_MS = 1_000;

@Command({
  name: 'migrate',
  description: 'Change stored data as this version wants it, and wait for the end',
})
export class MigrateCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run(): Promise<void> {
    const migrations = await this.installation.get(Migrations);
    let result = await migrations.run();
    if (result === 'busy') this.print('Another process is running migrations; waiting for it');
    while (result === 'busy') {
      await sleep(LOOK_AGAIN_MS);
      result = await migrations.run();
    }
    for (const name of result.ran) this.print(`Migration ${name} finished`);
    this.print('No migration is pending');
  }
}

@SubCommand({ name: 'rotate', description: 'Encrypt all secrets with the first of ENCRYPTION_KEYS' })
export class SecretsRotateCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run(): Promise<void> {
    const rotated = await (await this.installation.get(SecretRotationService)).rotate();
    this.print(
      `The secrets of ${rotated} webhook subscription${rotated === 1 ? '' : 's'} were encrypted anew`,
    );
    this.print('All are under the first of ENCRYPTION_KEYS now: the keys behind it can go');
  }
}

@Command({ name: 'secrets', description: 'Secrets of webhooks', subCommands: [SecretsRotateCommand] })
export class SecretsCommand extends CommandGroup {}

@SubCommand({ name: 'now', description: 'Count everything anew and remove what is old, at once' })
export class UpkeepNowCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run(): Promise<void> {
    await (await this.installation.get(Rounds)).hastenAll();
    this.print(
      'All counts and all that is old are due: a process with the scheduler role begins within a minute',
    );
  }
}

@Command({ name: 'upkeep', description: 'Counts and retention', subCommands: [UpkeepNowCommand] })
export class UpkeepCommand extends CommandGroup {}
