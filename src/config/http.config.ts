import { Type } from 'class-transformer';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { Variable } from './environment';

export class HttpConfig {
  /** 0 takes any free port. */
  @Variable('PORT')
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(65_535)
  readonly port: number = 3000;

  @Variable('HOST')
  @IsString()
  readonly host: string = '0.0.0.0';

  /** `text` for a terminal, `json` for a log collector. */
  @Variable('LOG_FORMAT')
  @IsIn(['text', 'json'])
  readonly logFormat: 'text' | 'json' = 'text';
}
