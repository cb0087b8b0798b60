import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorAlert } from '../components/QueryState';

export function PageError({ error }: ErrorComponentProps) {
  return <ErrorAlert error={error} retry={() => location.reload()} />;
}
