import type { Types } from 'mongoose';
import { Command, Option, SubCommand } from 'nest-commander';
import { ApiKeysService } from '../../api-keys/api-keys.service';
import { AccountAdministration } from '../../auth/account-administration.service';
import type { AccountScope } from '../../auth/account-scope';
import { OperatorError } from '../../common/errors';
import { Installation } from '../installation';
import { CommandGroup, OperatorCommand } from '../operator-command';
import { qrCode } from './qr-code';

class NoSuchKey extends OperatorError {
  constructor(key: string) {
    super(`No key in use has the id or the beginning ${key}; key list shows those that are`);
  }
}

class SeveralKeys extends OperatorError {
  constructor(key: string, ids: readonly string[]) {
    super(`Several keys begin with ${key}; give the id of one: ${ids.join(', ')}`);
  }
}

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
    'Make the key of a phone and print it once; on a terminal also as the QR code that the app scans. The first phone that registers with it within 24 hours binds it',
})
export class KeyCreateCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([text]: string[], options: CreateOptions): Promise<void> {
    const { name, full = false, device, qr = process.stdout.isTTY && !full } = options;
    if (full && device) this.refuse('--device is for the key of a phone: a full key opens every device');
    const email = this.readOptionalEmail(text);
    const accounts = await this.installation.get(AccountAdministration);
    const keys = await this.installation.get(ApiKeysService);
    const kind = full ? 'full' : 'phone';
    const key = await keys.create(await accounts.find(email), { name, kind, deviceId: device });
    // By itself on the first line: it is likely read by a program.
    this.print(key);
    if (!qr) return;
    // What the app reads of it is the bare key.
    for (const line of qrCode(key)) this.print(line);
    this.print('To pair a phone, scan it with the app');
  }

  @Option({ flags: '--name <name>', description: 'what its owner knows it by' })
  readName(text: string): string {
    return text;
  }

  @Option({ flags: '--full', description: 'a key that opens the whole account, for programs' })
  readFull(): boolean {
    return true;
  }

  @Option({ flags: '--device <id>', description: 'the phone it is for, such as to pair it again' })
  readDevice(text: string): Types.ObjectId {
    return this.readDeviceId(text);
  }

  @Option({ flags: '--qr', description: 'print the QR code also where there is no terminal' })
  readQr(): boolean {
    return true;
  }
}

@SubCommand({
  name: 'list',
  arguments: '[email]',
  description: 'List the keys in use: id, beginning, name, made, last used and from where, kind, device',
})
export class KeyListCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([text]: string[]): Promise<void> {
    const email = this.readOptionalEmail(text);
    const accounts = await this.installation.get(AccountAdministration);
    const keys = await this.installation.get(ApiKeysService);
    for (const key of await keys.list(await accounts.find(email), 'active')) {
      const times = [key.createdAt.toISOString(), key.lastUsedAt?.toISOString() ?? 'never used'];
      const use = [key.lastUsedFrom ?? '', key.kind ?? 'full', key.device?.toHexString() ?? ''];
      this.print([key._id.toHexString(), key.start ?? '', key.name, ...times, ...use].join('\t'));
    }
  }
}

@SubCommand({
  name: 'revoke',
  arguments: '<beginning-or-id> [email]',
  description: 'Refuse a key from now on, wherever it is',
})
export class KeyRevokeCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([key = '', text]: string[]): Promise<void> {
    const email = this.readOptionalEmail(text);
    const accounts = await this.installation.get(AccountAdministration);
    const account = await accounts.find(email);
    const keys = await this.installation.get(ApiKeysService);
    const { name } = await keys.revoke(account, await this.keyIdOf(keys, account, key));
    this.print(`The key ${key} (${name}) opens nothing any more`);
  }

  /** @param text its id, or its beginning as the list shows it. */
  private async keyIdOf(keys: ApiKeysService, account: AccountScope, text: string): Promise<Types.ObjectId> {
    const active = await keys.list(account, 'active');
    const alike = active.filter(({ _id, start }) => _id.toHexString() === text || start === text);
    const [found] = alike;
    if (!found) throw new NoSuchKey(text);
    if (alike.length > 1)
      throw new SeveralKeys(
        text,
        alike.map(({ _id }) => _id.toHexString()),
      );
    return found._id;
  }
}

@Command({
  name: 'key',
  description: 'API keys',
  subCommands: [KeyCreateCommand, KeyListCommand, KeyRevokeCommand],
})
export class KeyCommand extends CommandGroup {}
