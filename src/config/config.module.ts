import { DynamicModule, Module } from '@nestjs/common';
import { AuthConfig } from './auth.config';
import { BillingConfig } from './billing.config';
import { Configuration } from './configuration';
import { DatabaseConfig } from './database.config';
import { DevicesConfig } from './devices.config';
import { DispatchConfig } from './dispatch.config';
import { EncryptionConfig } from './encryption.config';
import { HttpConfig } from './http.config';
import { LimitsConfig } from './limits.config';
import { MailConfig } from './mail.config';
import { OpsConfig } from './ops.config';
import { PushConfig } from './push.config';
import { RedisConfig } from './redis.config';
import { RetentionConfig } from './retention.config';
import { RolesConfig } from './roles.config';
import { WebhooksConfig } from './webhooks.config';

/** Makes each concern's configuration injectable by its class. */
@Module({})
export class ConfigModule {
  static register(configuration: Configuration): DynamicModule {
    const providers = [
      { provide: AuthConfig, useValue: configuration.auth },
      { provide: BillingConfig, useValue: configuration.billing },
      { provide: DatabaseConfig, useValue: configuration.database },
      { provide: DevicesConfig, useValue: configuration.devices },
      { provide: DispatchConfig, useValue: configuration.dispatch },
      { provide: EncryptionConfig, useValue: configuration.encryption },
      { provide: HttpConfig, useValue: configuration.http },
      { provide: LimitsConfig, useValue: configuration.limits },
      { provide: MailConfig, useValue: configuration.mail },
      { provide: OpsConfig, useValue: configuration.ops },
      { provide: PushConfig, useValue: configuration.push },
      { provide: RedisConfig, useValue: configuration.redis },
      { provide: RetentionConfig, useValue: configuration.retention },
      { provide: RolesConfig, useValue: configuration.roles },
      { provide: WebhooksConfig, useValue: configuration.webhooks },
    ];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}
