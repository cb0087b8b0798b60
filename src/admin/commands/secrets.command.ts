import { Command } from 'nest-commander';
import { SecretReencryptionService } from '../../webhooks/subscriptions/secret-reencryption.service';
import { CommandGroup } from '../command-group';

@Command({ name: 'secrets', description: 'Webhook secrets' })
export class SecretsCommand extends CommandGroup {
  protected override addCommands(): void {
    this.add('rotate', 'Re-encrypt all secrets with the first of ENCRYPTION_KEYS').action(async () => {
      const rotated = await (await this.installation.get(SecretReencryptionService)).rotate();
      this.print(`Re-encrypted the secrets of ${rotated} webhook subscription${rotated === 1 ? '' : 's'}`);
      this.print('All secrets use the first of ENCRYPTION_KEYS; the other keys can be removed');
    });
  }
}
