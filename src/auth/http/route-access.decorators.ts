import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiError, ApiErrors } from '../../common/http/openapi-decorators';
import { KeyBound } from '../api-keys/api-key.errors';
import { EmailNotVerified, SessionRequiredError } from '../auth.errors';
import { TooManyConcurrentRequests } from '../limits/limit.errors';

/**
 * What a phone key may do on a route: `device`, only for its own device, whose id is in the path; `pairing`, bind itself
 * to a device; `account`, call it from any phone of the account.
 */
export type PhoneKeyAccess = 'device' | 'pairing' | 'account';

/**
 * What a public route is counted as: a request without a credential, or a health check. `signed`: the handler checks its
 * signature, and counts those that are wrong.
 */
export type PublicAccess = 'request' | 'probe' | 'signed';

export const PublicAccessOf = Reflector.createDecorator<PublicAccess | undefined>();
export const IsDeviceTokenRequired = Reflector.createDecorator<boolean | undefined>();
export const IsRateExempt = Reflector.createDecorator<boolean | undefined>();
/**
 * Which requests of a route do not wait for others of their account: `all` of one that itself waits, or those of a send with a
 * `small` body, which are fast.
 */
export const TakesNoTurn = Reflector.createDecorator<'all' | 'small' | undefined>();
/** Whether the handler of a route reads the body itself, see `readStreamedBody`. */
export const IsBodyStreamed = Reflector.createDecorator<boolean | undefined>();
export const IsSessionRequired = Reflector.createDecorator<boolean | undefined>();
export const IsVerificationRequired = Reflector.createDecorator<boolean | undefined>();
export const IsOperatorRequired = Reflector.createDecorator<boolean | undefined>();
export const PhoneKeyAccessOf = Reflector.createDecorator<PhoneKeyAccess | undefined>();

export const Public = (): MethodDecorator =>
  applyDecorators(PublicAccessOf('request'), ApiSecurity({}), ApiErrors(TooManyConcurrentRequests));

/** A public route for what watches the process. */
export const PublicProbe = (): MethodDecorator => PublicAccessOf('probe');

/** A public route whose requests the handler authenticates by their signature. */
export const PublicSigned = (): MethodDecorator => PublicAccessOf('signed');

/** Exempts a route from the rate limit of API keys: phones retry a refused report without end, and a late report is useless. */
export const RateExempt = () => IsRateExempt(true);

/** Requires a session: API keys are refused with SESSION_REQUIRED. */
export const SessionRequired = (): MethodDecorator =>
  applyDecorators(IsSessionRequired(true), ApiSecurity('session'), ApiErrors(SessionRequiredError));

/** Requires the session of an operator: for everyone else the route does not exist. */
export const OperatorRequired = (): MethodDecorator =>
  applyDecorators(
    IsOperatorRequired(true),
    ApiSecurity('session'),
    ApiError({
      kind: 'not_found',
      code: 'NOT_FOUND',
      message: 'There is no GET /api/v1/operations/overview',
    }),
  );

/** Requires an account whose e-mail address was verified at least once. */
export const VerificationRequired = (): MethodDecorator =>
  applyDecorators(IsVerificationRequired(true), ApiErrors(EmailNotVerified));

/** Allows phone keys on a route. Routes without it refuse them with 401. */
export const PhoneKeyAllowed = (access: PhoneKeyAccess = 'device'): MethodDecorator =>
  access === 'account'
    ? PhoneKeyAccessOf(access)
    : applyDecorators(PhoneKeyAccessOf(access), ApiErrors(KeyBound));
