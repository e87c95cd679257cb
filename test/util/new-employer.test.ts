import { expect, it } from 'vitest';
import { newEmployerIn } from '../../src/util/new-employer.ts';

it.each([
  'Ann joined Quay Robotics',
  'I joined Quay Robotics in March (March 2026).',
  'I just joined Quay Robotics.',
  'I joined Quay Robotics last month',
  'Ann has joined Quay Robotics as an engineer',
  'Ann joined the team at Quay Robotics',
  'Ann took a job at Quay Robotics',
  'Ann took a role with Quay Robotics',
  'Ann accepted a position at Quay Robotics',
  'Ann accepted an offer from Quay Robotics',
  'Ann got hired by Quay Robotics',
  'I was hired by Quay Robotics in March',
  'Ann is now with Quay Robotics',
  'I am now at Quay Robotics.',
  'Ann signed on with Quay Robotics',
  'Ann started at Quay Robotics in March',
  'Ann switched jobs to Quay Robotics',
  'Ann moved to a new job at Quay Robotics',
  'Ann left Acme and joined Quay Robotics',
  "Ann's new employer is Quay Robotics",
])('%s', (text) => {
  expect(newEmployerIn(text)).toBe('Quay Robotics');
});

it('is told by the role, whatever the name', () => {
  expect(newEmployerIn('Ann joined Netflix as an engineer')).toBe('Netflix');
  expect(newEmployerIn('Ann joined Netflix as a member')).toBeNull();
});

it.each([
  'Ann joined a gym',
  'Ann joined the call',
  'Ann joined the meeting late',
  'Ann joined a choir',
  'Ann joined Ben for dinner',
  'Ann joined Ben',
  'Ann joined Ben at the park',
  'Ann joined Quentin in Paris',
  'Ann joined Quentin and Pia for lunch',
  'Ann joined Facebook',
  'Ann joined Netflix last week',
  'Ann joined LinkedIn in March',
  'Ann joined Planet Fitness',
  'Ann joined the Ghent Choir in March',
  'Ann joined Zoom at 9',
  'Ann started at 9',
  'Ann started at the beginning',
  'Ann started at Oxford University in March',
  'Ann is now with Ben',
  'Ann is with Lena at the beach now',
  "Tom found a job for Tom's brother",
  'Ann will join Quay Robotics in June',
])('none: %s', (text) => {
  expect(newEmployerIn(text)).toBeNull();
});
