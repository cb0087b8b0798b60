import { SetMetadata } from '@nestjs/common';

export const IS_RATE_EXEMPT = 'is-rate-exempt';

/**
 * For what phones report and upload: it is counted against no key, because a phone repeats what was refused for ever and
 * what it says must not be late.
 */
export const RateExempt = () => SetMetadata(IS_RATE_EXEMPT, true);
