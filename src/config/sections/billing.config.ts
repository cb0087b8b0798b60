import { Matches } from 'class-validator';
import { Variable } from '../environment/environment';

export class BillingConfig {
  /** The plan of accounts without an assigned plan. */
  @Variable('DEFAULT_PLAN')
  @Matches(/^[\w-]{1,40}$/, { message: 'must name a plan, such as unlimited' })
  readonly defaultPlan: string = 'unlimited';
}
