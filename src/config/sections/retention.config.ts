import { IntegerVariable } from '../environment';

export class RetentionConfig {
  /** Days after which messages are removed; 0 keeps them. */
  @IntegerVariable('RETENTION_MESSAGES_DAYS', 0, 36_500)
  readonly messagesDays: number = 0;

  /** Days after which webhook deliveries are removed; 0 keeps them. */
  @IntegerVariable('RETENTION_DELIVERIES_DAYS', 0, 36_500)
  readonly deliveriesDays: number = 90;
}
