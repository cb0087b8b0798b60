import type { Types } from 'mongoose';
import { Command, Option, SubCommand } from 'nest-commander';
import { ApiKeysService } from '../../api-keys/api-keys.service';
import type { AccountScope } from '../../auth/account-scope';
import { OperatorError } from '../../common/errors';
import { CommandGroup, OperatorCommand } from '../operator-command';
import { qrCode } from './qr-code';

interface CreateOptions {
  readonly name?: string;
  readonly full?: boolean;
  readonly device?: Types.ObjectId;
  readonly qr?: boolean;
}

@SubCommand({
  name: 'create',
  arguments: '[email]',
  description:
    'Create a key for a phone and print it once, on a terminal also as a QR code for the app. The first phone that registers with it within 24 hours binds it',
})
export class KeyCreateCommand extends OperatorCommand {
  async run([text]: string[], options: CreateOptions): Promise<void> {
    const { name, full = false, device, qr = process.stdout.isTTY && !full } = options;
    if (full && device)
      this.fail('--device is not allowed with --full: a full key gives access to all devices');
    const account = await this.findAccount(this.readOptionalEmail(text));
    const keys = await this.installation.get(ApiKeysService);
    const key = await keys.create(account, { name, kind: full ? 'full' : 'phone', device });
    // Scripts read the key from the first line.
    this.print(key);
    if (!qr) return;
    // `print` would remove the colors.
    for (const line of qrCode(key)) process.stdout.write(`${line}\n`);
    this.print('To pair a phone, scan it with the app');
  }

  @Option({ flags: '--name <name>', description: 'name of the key' })
  readName(text: string): string {
    return text;
  }

  @Option({ flags: '--full', description: 'a key for programs, with access to the whole account' })
  readFull(): boolean {
    return true;
  }

  @Option({ flags: '--device <id>', description: 'the phone it is for, for example to pair it again' })
  readDevice(text: string): Types.ObjectId {
    return this.readDeviceId(text);
  }

  @Option({ flags: '--qr', description: 'print the QR code even if the output is not a terminal' })
  readQr(): boolean {
    return true;
  }
}

@SubCommand({
  name: 'list',
  arguments: '[email]',
  description: 'List the active keys: id, prefix, name, created, last used, from which address, kind, device',
})
export class KeyListCommand extends OperatorCommand {
  async run([text]: string[]): Promise<void> {
    const account = await this.findAccount(this.readOptionalEmail(text));
    const keys = await this.installation.get(ApiKeysService);
    for (const key of await keys.list(account, 'active')) {
      const times = [key.createdAt.toISOString(), key.lastUsedAt?.toISOString() ?? 'never used'];
      const use = [key.lastUsedFrom ?? '', key.kind ?? 'full', key.device?.toHexString() ?? ''];
      this.printRow([key._id.toHexString(), key.start ?? '', key.name, ...times, ...use]);
    }
  }
}

@SubCommand({
  name: 'revoke',
  arguments: '<id-or-prefix> [email]',
  description: 'Revoke a key: it is refused immediately',
})
export class KeyRevokeCommand extends OperatorCommand {
  async run([key = '', text]: string[]): Promise<void> {
    const account = await this.findAccount(this.readOptionalEmail(text));
    const keys = await this.installation.get(ApiKeysService);
    const { name } = await keys.revoke(account, await this.keyIdOf(keys, account, key));
    this.print(`The key ${key} (${name}) is revoked`);
  }

  /** @param text the id or the prefix, as the list shows them. */
  private async keyIdOf(keys: ApiKeysService, account: AccountScope, text: string): Promise<Types.ObjectId> {
    const active = await keys.list(account, 'active');
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
}

@Command({
  name: 'key',
  description: 'API keys',
  subCommands: [KeyCreateCommand, KeyListCommand, KeyRevokeCommand],
})
export class KeyCommand extends CommandGroup {}
