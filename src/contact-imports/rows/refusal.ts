import type { PhoneNumberProblem } from '../../common/phone-number';
import { PHONE_NUMBER_PROBLEMS } from '../../common/phone-number';

/** Why a row of a file is not imported. */
export const REFUSAL_CODES = [
  'number_missing',
  'number_format',
  'number_decimal',
  'number_scientific',
  'number_date',
  'number_ip_address',
  'number_several',
  'number_national_prefix',
  'number_taken',
  'too_long',
  'too_many',
  'language',
  'field_name',
  'cells',
  'contact_full',
  'changing',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** A row that is not imported. */
export interface Refusal {
  /** The name of the column, as in the file. */
  readonly field: string;
  /** What the file has there; its beginning. */
  readonly value: string;
  readonly code: RefusalCode;
  /** A sentence about the value that says what to do, to follow it. */
  readonly reason: string;
}

const MAX_VALUE_LENGTH = 200;

const NUMBER_CODES: Readonly<Record<PhoneNumberProblem, RefusalCode>> = {
  format: 'number_format',
  decimal: 'number_decimal',
  scientific: 'number_scientific',
  date: 'number_date',
  ipAddress: 'number_ip_address',
  several: 'number_several',
  nationalPrefix: 'number_national_prefix',
};

export const refusal = (code: RefusalCode, field: string, value: string, reason: string): Refusal => ({
  code,
  field,
  value: value.slice(0, MAX_VALUE_LENGTH),
  reason,
});

export const numberRefusal = (field: string, value: string, problem: PhoneNumberProblem): Refusal =>
  refusal(NUMBER_CODES[problem], field, value, PHONE_NUMBER_PROBLEMS[problem]);
