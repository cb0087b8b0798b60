export default {
  title: 'Phones',
};
