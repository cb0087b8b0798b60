import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { Variable } from '../environment/environment';
import { isBasePath } from './http.config';

const OFF = 'off';
const APP_VARIANT = '{variant}';

/** The settings of the app SMS Gateway for Android (SMSGate), whose phone protocol the service answers. */
export class SmsGateConfig {
  /** The path that the app is given, below BASE_PATH; empty if the protocol is turned off. */
  @Variable('SMSGATE_PATH')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (value === OFF ? '' : value.replace(/\/+$/, '')) : value,
  )
  @ValidateBy(
    { name: 'isBasePath', validator: { validate: isBasePath } },
    { message: `must be a path such as /sms that the service does not use, or ${OFF}` },
  )
  readonly path: string = '/sms';

  /** Where people download the app, of the version that the protocol was read at. */
  @Variable('SMSGATE_APP_URL')
  @ValidateBy(
    { name: 'isAppUrl', validator: { validate: isAppUrl } },
    { message: `must be a link, with ${APP_VARIANT} where it differs between the app's variants` },
  )
  readonly appUrl: string =
    `https://github.com/capcom6/android-sms-gateway/releases/download/v1.68.0/app-${APP_VARIANT}.apk`;

  /** @param variant such as `release`. */
  appUrlOf(variant: string): string {
    return this.appUrl.replaceAll(APP_VARIANT, variant);
  }
}

function isAppUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);
}
