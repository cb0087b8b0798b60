import { AuthConfig } from './sections/auth.config';
import { BillingConfig } from './sections/billing.config';
import { DatabaseConfig } from './sections/database.config';
import { DevicesConfig } from './sections/devices.config';
import { DispatchConfig } from './sections/dispatch.config';
import { EncryptionConfig } from './sections/encryption.config';
import { ConfigurationError, Environment, readSection, variablesRead } from './environment/environment';
import { HttpConfig } from './sections/http.config';
import { LimitsConfig } from './sections/limits.config';
import { MailConfig } from './sections/mail.config';
import { MaintenanceConfig } from './sections/maintenance.config';
import { OpsConfig } from './sections/ops.config';
import { OutboundConfig } from './sections/outbound.config';
import { PushConfig } from './sections/push.config';
import { RedisConfig } from './sections/redis.config';
import { RetentionConfig } from './sections/retention.config';
import { RolesConfig } from './sections/roles.config';
import { SmsGateConfig } from './sections/smsgate.config';
import { WebhooksConfig } from './sections/webhooks.config';

/** The section classes, in the order in which their errors are listed. */
export const CONFIGURATION_SECTIONS = {
  roles: RolesConfig,
  http: HttpConfig,
  limits: LimitsConfig,
  ops: OpsConfig,
  database: DatabaseConfig,
  redis: RedisConfig,
  auth: AuthConfig,
  encryption: EncryptionConfig,
  mail: MailConfig,
  outbound: OutboundConfig,
  billing: BillingConfig,
  devices: DevicesConfig,
  dispatch: DispatchConfig,
  push: PushConfig,
  smsgate: SmsGateConfig,
  webhooks: WebhooksConfig,
  maintenance: MaintenanceConfig,
  retention: RetentionConfig,
} as const;

export type Configuration = {
  readonly [Name in keyof typeof CONFIGURATION_SECTIONS]: InstanceType<(typeof CONFIGURATION_SECTIONS)[Name]>;
};

/**
 * Reads and validates the configuration.
 * @throws ConfigurationError with every invalid variable.
 */
export function loadConfiguration(environment: Environment): Configuration {
  const sections = Object.entries(CONFIGURATION_SECTIONS).map(([name, section]) => ({
    name,
    ...readSection<object>(section, environment),
  }));
  const errors = sections.flatMap((section) => section.errors);
  if (errors.length > 0) throw new ConfigurationError(errors);
  return Object.fromEntries(sections.map(({ name, value }) => [name, value])) as Configuration;
}

/** All environment variables of the service; a test compares them with `.env.example`. */
export function configurationVariables(): string[] {
  return Object.values(CONFIGURATION_SECTIONS).flatMap((section) => variablesRead(section));
}
