import type { Translation } from '../catalogue';

export default {
  title: 'Cuenta',
} satisfies Translation['account'];
