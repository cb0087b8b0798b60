import { applyDecorators, UseGuards } from '@nestjs/common';
import { ApiIdParam } from '../../common/http/openapi-decorators';
import { IsDeviceTokenRequired, PhoneKeyAllowed, RateExempt } from './route-access.decorators';
import { PhoneRateGuard } from './phone-rate.guard';

/**
 * A route of the phone whose device id is in the path. It is counted by phone instead of by API key, so that other users of
 * the key do not delay the reports of a phone.
 */
export const PhoneRoute = (): MethodDecorator =>
  applyDecorators(PhoneKeyAllowed(), RateExempt(), UseGuards(PhoneRateGuard), ApiIdParam('id', 'Device id'));

/** A route of the app whose device token authenticates the request. It is counted by phone. */
export const DeviceTokenRoute = (): MethodDecorator =>
  applyDecorators(IsDeviceTokenRequired(true), RateExempt(), UseGuards(PhoneRateGuard));
