import { setTimeout as sleep } from 'node:timers/promises';
import { Help, RootCommand } from 'nest-commander';
import { signInPath, SignInLinksService } from '../../auth/sessions/sign-in-links.service';
import { localUrl } from '../../config/local-url';
import { HttpConfig } from '../../config/sections/http.config';
import { Sharding } from '../../infrastructure/mongo/sharding.service';
import { formatCommand } from '../../infrastructure/mongo/sharding-state';
import { MigrationsService } from '../../migrations/migrations.service';
import { CommandGroup } from '../command-group';

const POLL_INTERVAL_MS = 1_000;

@RootCommand({
  name: 'admin',
  description: 'Admin commands. They use the settings of the environment, as the service does.',
})
export class AdminCommand extends CommandGroup {
  @Help('after')
  explain(): string {
    return `
[email] can be omitted if there is only one account.

How to run it:
  in a checkout        npm run admin -- <command>
  built                node dist/admin.js <command>
  with Docker Compose  docker compose exec api node dist/admin.js <command>`;
  }

  protected override addCommands(): void {
    this.add(
      'sign-in-link',
      'Print a link that signs in without a password, once and within ten minutes; the first password can be set in its session',
    )
      .option('--email <email>', 'the account; can be omitted if there is only one')
      .action(async ({ email }: { readonly email?: string }) => {
        const account = await this.findAccount(email);
        const links = await this.installation.get(SignInLinksService);
        const { publicUrl, host, port, basePath } = await this.installation.get(HttpConfig);
        const address = (publicUrl ?? localUrl(host, port)) + basePath;
        this.print(address + signInPath(await links.issue(account)));
      });

    this.add('migrate', 'Run pending migrations of stored data, and wait until they finish').action(() =>
      this.migrate(),
    );

    this.add('shard', 'Print the commands that shard the database, for mongosh')
      .option('--apply', 'run them; MONGODB_URI must be the address of a mongos')
      .action(({ apply = false }: { readonly apply?: boolean }) => this.shard(apply));
  }

  private async migrate(): Promise<void> {
    const migrations = await this.installation.get(MigrationsService);
    let result = await migrations.run();
    if (result === 'busy') this.print('Another process is running migrations; waiting for it');
    while (result === 'busy') {
      await sleep(POLL_INTERVAL_MS);
      result = await migrations.run();
    }
    for (const name of result.ran) this.print(`Migration ${name} finished`);
    this.print('No pending migrations');
  }

  private async shard(apply: boolean): Promise<void> {
    const sharding = await this.installation.get(Sharding);
    if (apply) await sharding.requireCluster();
    const commands = await sharding.listCommands();
    if (commands.length === 0) this.print('The database is sharded as planned');
    for (const command of commands) {
      this.print(formatCommand(command));
      if (apply) await sharding.run(command);
    }
  }
}
