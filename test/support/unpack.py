"""Unpacks each archive of a folder: unpack.py ARCHIVES TARGET. Prints the names of those that it could unpack."""
import os
import sys
import zipfile

for name in os.listdir(sys.argv[1]):
    target = os.path.join(sys.argv[2], name)
    os.makedirs(target)
    try:
        with zipfile.ZipFile(os.path.join(sys.argv[1], name)) as archive:
            archive.extractall(target)
        print(name)
    except Exception as error:
        print(f"{name}: {error!r}", file=sys.stderr)
