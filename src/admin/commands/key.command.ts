import type { Types } from 'mongoose';
import { Command } from 'nest-commander';
import { ApiKeysService } from '../../api-keys/api-keys.service';
import type { AccountScope } from '../../auth/account-scope';
import { OperatorError } from '../../common/errors';
import { CommandGroup } from '../command-group';
import { qrCode } from './qr-code';

interface CreateOptions {
  readonly name?: string;
  readonly full?: boolean;
  readonly device?: string;
  readonly qr?: boolean;
}

@Command({ name: 'key', description: 'API keys' })
export class KeyCommand extends CommandGroup {
  protected override addCommands(): void {
    this.add(
      'create [email]',
      'Create a key for a phone and print it once, on a terminal also as a QR code for the app. The first phone that registers with it within 24 hours binds it',
    )
      .option('--name <name>', 'name of the key')
      .option('--full', 'a key for programs, with access to the whole account')
      .option('--device <id>', 'the phone it is for, for example to pair it again')
      .option('--qr', 'print the QR code even if the output is not a terminal')
      .action((address: string | undefined, options: CreateOptions) => this.create(address, options));

    this.add(
      'list [email]',
      'List the active keys: id, prefix, name, created, last used, from which address, kind, device',
    ).action(async (address?: string) => {
      const account = await this.findAccount(address);
      for (const key of await (await this.keys()).list(account, 'active')) {
        const times = [key.createdAt.toISOString(), key.lastUsedAt?.toISOString() ?? 'never used'];
        const use = [key.lastUsedFrom ?? '', key.kind ?? 'full', key.device?.toHexString() ?? ''];
        this.printRow([key._id.toHexString(), key.start, key.name, ...times, ...use]);
      }
    });

    this.add('revoke <id-or-prefix> [email]', 'Revoke a key: it is refused immediately').action(
      async (key: string, address?: string) => {
        const account = await this.findAccount(address);
        const { name } = await (await this.keys()).revoke(account, await this.keyIdOf(account, key));
        this.print(`The key ${key} (${name}) is revoked`);
      },
    );
  }

  private async create(address: string | undefined, options: CreateOptions): Promise<void> {
    const { name, full = false, device, qr = process.stdout.isTTY && !full } = options;
    const deviceId = device === undefined ? undefined : this.readDeviceId(device);
    if (full && deviceId)
      this.fail('--device is not allowed with --full: a full key gives access to all devices');
    const account = await this.findAccount(address);
    const key = await (
      await this.keys()
    ).create(account, { name, kind: full ? 'full' : 'phone', device: deviceId });
    // Scripts read the key from the first line.
    this.print(key);
    if (!qr) return;
    // `print` would remove the colors.
    for (const line of qrCode(key)) process.stdout.write(`${line}\n`);
    this.print('To pair a phone, scan it with the app');
  }

  /** @param text the id or the prefix, as the list shows them. */
  private async keyIdOf(account: AccountScope, text: string): Promise<Types.ObjectId> {
    const active = await (await this.keys()).list(account, 'active');
    const matches = active.filter(({ _id, start }) => _id.toHexString() === text || start === text);
    const [found, ...others] = matches.map(({ _id }) => _id);
    if (!found)
      throw new OperatorError(
        `No active key has the id or prefix ${text}; run "key list" to see all active keys`,
      );
    if (others.length > 0)
      throw new OperatorError(
        `Several keys begin with ${text}; specify the id of one: ${[found, ...others].join(', ')}`,
      );
    return found;
  }

  private keys(): Promise<ApiKeysService> {
    return this.installation.get(ApiKeysService);
  }
}
