/* The threads of this process. */
#include <stdio.h>
#include <unistd.h>

static int countThreads(void) {
  char line[256];
  int count = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "Threads: %d", &count) == 1)
      break;
  if (f)
    fclose(f);
  return count;
}

/* Whether the process has `count` threads; one that was joined is counted for a
   moment longer. */
static int hasThreads(int count) {
  for (int wait = 0; countThreads() > count && wait < 10000; ++wait)
    usleep(1000);
  return countThreads() == count;
}
