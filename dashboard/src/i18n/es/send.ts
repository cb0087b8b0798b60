import type { Translation } from '../catalogue';

export default {
  title: 'Enviar',
} satisfies Translation['send'];
