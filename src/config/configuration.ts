import { AuthConfig } from './sections/auth.config';
import { BillingConfig } from './sections/billing.config';
import { DatabaseConfig } from './sections/database.config';
import { DevicesConfig } from './sections/devices.config';
import { DispatchConfig } from './sections/dispatch.config';
import { EncryptionConfig } from './sections/encryption.config';
import { ConfigurationError, Environment, readSection, variablesRead } from './environment';
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

/** The configuration, one class per section. */
export interface Configuration {
  readonly auth: AuthConfig;
  readonly billing: BillingConfig;
  readonly database: DatabaseConfig;
  readonly devices: DevicesConfig;
  readonly dispatch: DispatchConfig;
  readonly encryption: EncryptionConfig;
  readonly http: HttpConfig;
  readonly limits: LimitsConfig;
  readonly mail: MailConfig;
  readonly maintenance: MaintenanceConfig;
  readonly ops: OpsConfig;
  readonly push: PushConfig;
  readonly redis: RedisConfig;
  readonly retention: RetentionConfig;
  readonly roles: RolesConfig;
  readonly webhooks: WebhooksConfig;
}

/**
 * Reads and validates the configuration.
 * @throws ConfigurationError with every invalid variable.
 */
export function loadConfiguration(environment: Environment): Configuration {
  const errors: string[] = [];
  const read = <T extends object>(section: new () => T): T => {
    const result = readSection(section, environment);
    errors.push(...result.errors);
    return result.value;
  };
  const configuration: Configuration = {
    roles: read(RolesConfig),
    http: read(HttpConfig),
    limits: read(LimitsConfig),
    ops: read(OpsConfig),
    database: read(DatabaseConfig),
    redis: read(RedisConfig),
    auth: read(AuthConfig),
    encryption: read(EncryptionConfig),
    mail: read(MailConfig),
    billing: read(BillingConfig),
    devices: read(DevicesConfig),
    dispatch: read(DispatchConfig),
    push: read(PushConfig),
    webhooks: read(WebhooksConfig),
    maintenance: read(MaintenanceConfig),
    retention: read(RetentionConfig),
  };
  if (errors.length > 0) throw new ConfigurationError(errors);
  return configuration;
}

/** All environment variables of the service; a test compares them with `.env.example`. */
export function configurationVariables(): string[] {
  return [
    RolesConfig,
    HttpConfig,
    LimitsConfig,
    OpsConfig,
    DatabaseConfig,
    RedisConfig,
    AuthConfig,
    EncryptionConfig,
    MailConfig,
    BillingConfig,
    DevicesConfig,
    DispatchConfig,
    PushConfig,
    WebhooksConfig,
    MaintenanceConfig,
    RetentionConfig,
  ].flatMap(variablesRead);
}
