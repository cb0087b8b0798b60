import { DynamicModule, Module } from '@nestjs/common';
import { AuthConfig } from './sections/auth.config';
import { BillingConfig } from './sections/billing.config';
import { Configuration } from './configuration';
import { DatabaseConfig } from './sections/database.config';
import { DevicesConfig } from './sections/devices.config';
import { DispatchConfig } from './sections/dispatch.config';
import { EncryptionConfig } from './sections/encryption.config';
import { HttpConfig } from './sections/http.config';
import { LimitsConfig } from './sections/limits.config';
import { MailConfig } from './sections/mail.config';
import { MaintenanceConfig } from './sections/maintenance.config';
import { OpsConfig } from './sections/ops.config';
import { PushConfig } from './sections/push.config';
import { RedisConfig } from './sections/redis.config';
import { RetentionConfig } from './sections/retention.config';
import { RolesConfig } from './sections/roles.config';
import { WebhooksConfig } from './sections/webhooks.config';

/** Makes each configuration section injectable by its class. */
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
      { provide: MaintenanceConfig, useValue: configuration.maintenance },
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
