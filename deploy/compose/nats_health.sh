#!/bin/sh
# Docker's healthcheck of the broker: 0 it is well, 1 it is not.
#
# After one failed write (a full disk) nats-server takes no record until it is started again, and
# Docker starts nothing again for being unhealthy. So a broker that was well and then calls itself
# unhealthy six times in a row is ended here, and the restart policy starts it again. One that has
# not been well yet reads a large log and is left alone; one that does not answer is not judged.
#
# What is remembered lies on a tmpfs, which is as old as the broker's process.

well=/run/health/well
ill=/run/health/ill

if said=$(wget -O /dev/null http://127.0.0.1:8222/healthz 2>&1); then
  : >"$well"
  rm -f "$ill"
  exit 0
fi
echo "$said"
case $said in
  *"503 Service Unavailable"*) ;;
  *) rm -f "$ill"; exit 1 ;;
esac
if [ -e "$well" ]; then
  echo >>"$ill"
  if [ "$(wc -l <"$ill")" -ge 6 ]; then kill 1; fi
fi
exit 1
