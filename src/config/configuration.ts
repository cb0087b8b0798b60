import { AuthConfig } from './auth.config';
import { BillingConfig } from './billing.config';
import { DatabaseConfig } from './database.config';
import { DevicesConfig } from './devices.config';
import { DispatchConfig } from './dispatch.config';
import { EncryptionConfig } from './encryption.config';
import { ConfigurationError, Environment, readConcern, variablesRead } from './environment';
import { HttpConfig } from './http.config';
import { LimitsConfig } from './limits.config';
import { MailConfig } from './mail.config';
import { OpsConfig } from './ops.config';
import { PushConfig } from './push.config';
import { RedisConfig } from './redis.config';
import { RetentionConfig } from './retention.config';
import { RolesConfig } from './roles.config';
import { WebhooksConfig } from './webhooks.config';

/** The whole configuration, one class a concern. */
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
  readonly ops: OpsConfig;
  readonly push: PushConfig;
  readonly redis: RedisConfig;
  readonly retention: RetentionConfig;
  readonly roles: RolesConfig;
  readonly webhooks: WebhooksConfig;
}

/**
 * Reads and validates the configuration.
 * @throws ConfigurationError naming every variable at fault.
 */
export function loadConfiguration(environment: Environment): Configuration {
  const faults: string[] = [];
  const read = <T extends object>(concern: new () => T): T => {
    const result = readConcern(concern, environment);
    faults.push(...result.faults);
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
    retention: read(RetentionConfig),
  };
  if (faults.length > 0) throw new ConfigurationError(faults);
  return configuration;
}

/** Every environment variable the service reads; `.env.example` is held against it. */
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
    RetentionConfig,
  ].flatMap(variablesRead);
}
