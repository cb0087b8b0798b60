import { Command } from 'nest-commander';
import { InstallationSecrets } from '../../infrastructure/encryption/installation-secrets.service';
import { SecretReencryptionService } from '../../webhooks/subscriptions/secret-reencryption.service';
import { CommandGroup } from '../command-group';

@Command({ name: 'secrets', description: 'Secrets in the database' })
export class SecretsCommand extends CommandGroup {
  protected override addCommands(): void {
    this.add('rotate', 'Re-encrypt all secrets with the first of ENCRYPTION_KEYS').action(async () => {
      const rotated = await (await this.installation.get(SecretReencryptionService)).rotate();
      const ofInstallation = await (await this.installation.get(InstallationSecrets)).rotate();
      this.print(`Re-encrypted the secrets of ${rotated} webhook subscription${rotated === 1 ? '' : 's'}`);
      if (ofInstallation > 0) this.print('Re-encrypted the secret by which blocked numbers are found');
      this.print('All secrets use the first of ENCRYPTION_KEYS; the other keys can be removed');
    });
  }
}
