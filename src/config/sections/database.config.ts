import { IsOptional, Matches } from 'class-validator';
import { Variable } from '../environment/environment';

export class DatabaseConfig {
  @Variable('MONGODB_URI')
  @Matches(/^mongodb(\+srv)?:\/\/\S+$/, { message: 'must be set to a mongodb:// or mongodb+srv:// address' })
  readonly uri: string = '';

  /** Overrides the database of the URI. */
  @Variable('MONGODB_DATABASE')
  @IsOptional()
  @Matches(/^[\w-]{1,60}$/, { message: 'must be 1 to 60 letters, digits, _ or -' })
  readonly name?: string;
}
