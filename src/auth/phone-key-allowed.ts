import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiErrors } from '../common/http/openapi-decorators';
import { KeyBound } from './phone-key';

/**
 * What a route is to a phone key: `device`, a call for its own device, whose id is in the path; `pairing`, a call that may
 * bind it; `account`, a call that any phone of the account may make.
 */
export type PhoneKeyAccess = 'device' | 'pairing' | 'account';

export const PHONE_KEY_ACCESS = 'phone-key-access';

/** For what a phone calls. All other routes refuse phone keys with 401. */
export const PhoneKeyAllowed = (access: PhoneKeyAccess = 'device'): MethodDecorator =>
  access === 'account'
    ? SetMetadata(PHONE_KEY_ACCESS, access)
    : applyDecorators(SetMetadata(PHONE_KEY_ACCESS, access), ApiErrors(KeyBound));
