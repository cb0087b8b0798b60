import { Matches } from 'class-validator';
import { Variable } from './environment';

export class BillingConfig {
  /** The plan of accounts that have none of their own. */
  @Variable('DEFAULT_PLAN')
  @Matches(/^[\w-]{1,40}$/, { message: 'must name a plan, such as unlimited' })
  readonly defaultPlan: string = 'unlimited';
}
