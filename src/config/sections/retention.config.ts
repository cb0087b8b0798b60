import { Type } from 'class-transformer';
import { IsNumber, Max, Min } from 'class-validator';
import { IntegerVariable, Variable } from '../environment/environment';

export class RetentionConfig {
  /** Days, or a fraction of a day, after which messages are removed; 0 keeps them. */
  @Variable('RETENTION_MESSAGES_DAYS')
  @Type(() => Number)
  @IsNumber()
  @Min(0)
  @Max(36_500)
  readonly messagesDays: number = 0;

  /** Days after which webhook deliveries are removed; 0 keeps them. */
  @IntegerVariable('RETENTION_DELIVERIES_DAYS', 0, 36_500)
  readonly deliveriesDays: number = 90;
}
