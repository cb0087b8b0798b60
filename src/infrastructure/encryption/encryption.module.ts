import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { InstallationSecret, InstallationSecretSchema } from './installation-secret.schema';
import { InstallationSecretsRepository } from './installation-secrets.repository';
import { InstallationSecrets } from './installation-secrets.service';
import { SecretCipher } from './secret-cipher';

/** Encrypts what a dump of the database must not reveal. */
@Module({
  imports: [MongooseModule.forFeature([{ name: InstallationSecret.name, schema: InstallationSecretSchema }])],
  providers: [InstallationSecrets, InstallationSecretsRepository, SecretCipher],
  exports: [InstallationSecrets, SecretCipher],
})
export class EncryptionModule {}
